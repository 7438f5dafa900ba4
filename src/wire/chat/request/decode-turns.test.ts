import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { JsonObject } from '#base';
import { decodeChat } from '../../../../test/support/chat-exchange.ts';

function user(...parts: JsonObject[]): JsonObject {
  return { messages: [{ role: 'user', content: parts }] };
}

test('leading instructions become the system, later ones stay in place', () => {
  const { system, turns } = decodeChat({
    messages: [
      { role: 'developer', content: 'Be brief.' },
      { role: 'system', content: [{ type: 'text', text: 'Be kind.' }] },
      { role: 'user', content: 'Hi' },
      { role: 'system', content: 'Now in French.' },
    ],
  });
  assert.deepEqual(system, [
    { type: 'text', text: 'Be brief.' },
    { type: 'text', text: 'Be kind.' },
  ]);
  assert.deepEqual(
    turns.map(({ role }) => role),
    ['user', 'system'],
  );
});

test('a refusal of the assistant is text that is marked as one', () => {
  const { turns } = decodeChat({
    messages: [
      { role: 'user', content: 'How?' },
      { role: 'assistant', content: null, refusal: 'No.' },
      { role: 'user', content: 'Why?' },
      { role: 'assistant', content: 'So.', refusal: '' },
    ],
  });
  assert.deepEqual(turns[1]?.blocks, [{ type: 'text', text: 'No.', refusal: true }]);
  assert.deepEqual(turns[3]?.blocks, [{ type: 'text', text: 'So.' }]);
});

test('consecutive tool messages are one user turn', () => {
  const call = (id: string): JsonObject => ({
    id,
    type: 'function',
    function: { name: 'f', arguments: '{"a":1}' },
  });
  const { turns } = decodeChat({
    messages: [
      { role: 'assistant', content: null, tool_calls: [call('a'), call('b')] },
      { role: 'tool', tool_call_id: 'a', content: 'one' },
      { role: 'tool', tool_call_id: 'b', content: [{ type: 'text', text: 'two' }] },
      { role: 'user', content: 'Go on.' },
    ],
  });
  assert.deepEqual(
    turns.map(({ role, blocks }) => [role, blocks.length]),
    [
      ['assistant', 2],
      ['user', 2],
      ['user', 1],
    ],
  );
  assert.deepEqual(turns[1]?.blocks[1], {
    type: 'tool-result',
    callId: 'b',
    blocks: [{ type: 'text', text: 'two' }],
    isError: false,
  });
});

test('content that is empty in any way gives a tool result no block, and an assistant turn only if it has nothing else', () => {
  const call = { id: 'a', type: 'function', function: { name: 'f', arguments: '{}' } };
  const decodeWith = (content: JsonObject, silent: JsonObject) =>
    decodeChat({
      messages: [
        { role: 'assistant', ...content, tool_calls: [call] },
        { role: 'tool', tool_call_id: 'a', ...content },
        { role: 'assistant', ...silent },
        { role: 'user', content: 'Go on.' },
      ],
    }).turns;
  for (const content of [{}, { content: null }, { content: '' }, { content: [] }]) {
    const [calling, result, silent] = decodeWith(content, { content: '' });
    assert.deepEqual(
      calling?.blocks.map(({ type }) => type),
      ['tool-call'],
    );
    assert.deepEqual(result?.blocks, [{ type: 'tool-result', callId: 'a', blocks: [], isError: false }]);
    assert.deepEqual(silent?.blocks, [{ type: 'text', text: '' }]);
  }
});

test('[D-17] [D-28] null content gives no block, and empty arguments are an empty object', () => {
  const calls = ['', null, '{}'].map((value, at) => ({
    id: `c${at}`,
    type: 'function',
    function: { name: 'f', arguments: value },
  }));
  const { turns } = decodeChat({ messages: [{ role: 'assistant', content: null, tool_calls: calls }] });
  assert.deepEqual(
    turns[0]?.blocks.map((block) => block.type === 'tool-call' && block.input),
    [{ json: '{}' }, { json: '{}' }, { json: '{}' }],
  );
});

test('arguments stay the text they were', () => {
  const text = '{"b": 1,  "a": 1.0}';
  const tool_calls = [{ id: 'a', type: 'function', function: { name: 'f', arguments: text } }];
  const [block] = decodeChat({ messages: [{ role: 'assistant', tool_calls }] }).turns[0]?.blocks ?? [];
  assert.ok(block?.type === 'tool-call' && 'json' in block.input);
  assert.equal(block.input.json, text);
});

test('a custom call keeps its free text', () => {
  const tool_calls = [{ id: 'a', type: 'custom', custom: { name: 'sql', input: 'select 1' } }];
  const { turns } = decodeChat({ messages: [{ role: 'assistant', tool_calls }] });
  assert.deepEqual(turns[0]?.blocks, [
    { type: 'tool-call', id: 'a', name: 'sql', input: { json: 'select 1' }, custom: true },
  ]);
});

test('the deprecated functions, function_call and function role are read as tools', () => {
  const request = decodeChat({
    functions: [{ name: 'f', parameters: { type: 'object' } }],
    function_call: { name: 'f' },
    messages: [
      { role: 'assistant', content: null, function_call: { name: 'f', arguments: '{}' } },
      { role: 'function', name: 'f', content: 'done' },
    ],
  });
  assert.deepEqual(request.tools, [{ type: 'function', name: 'f', inputSchema: { type: 'object' } }]);
  assert.deepEqual(request.toolChoice, { type: 'tool', name: 'f' });
  const [call] = request.turns[0]?.blocks ?? [];
  const [result] = request.turns[1]?.blocks ?? [];
  assert.ok(call?.type === 'tool-call' && result?.type === 'tool-result');
  assert.equal(result.callId, call.id);
});

test('images, audio and files become media', () => {
  const { turns } = decodeChat(
    user(
      { type: 'image_url', image_url: { url: 'data:image/PNG;base64,AAAA', detail: 'low' } },
      { type: 'image_url', image_url: { url: 'https://example.com/a.png' } },
      { type: 'input_audio', input_audio: { data: 'BBBB', format: 'mp3' } },
      { type: 'file', file: { file_data: 'data:application/pdf;base64,CCCC', filename: 'a.pdf' } },
      { type: 'file', file: { file_id: 'file-1' } },
    ),
  );
  assert.deepEqual(turns[0]?.blocks, [
    {
      type: 'media',
      kind: 'image',
      mediaType: 'image/png',
      source: { base64: 'AAAA' },
      extra: { chat: { detail: 'low' } },
    },
    { type: 'media', kind: 'image', source: { url: 'https://example.com/a.png' } },
    { type: 'media', kind: 'audio', mediaType: 'audio/mp3', source: { base64: 'BBBB' } },
    {
      type: 'media',
      kind: 'document',
      mediaType: 'application/pdf',
      source: { base64: 'CCCC' },
      title: 'a.pdf',
    },
    { type: 'media', kind: 'document', source: { fileId: 'file-1', format: 'chat' } },
  ]);
});

test('[D-75] cache marks are read in both spellings from parts, messages, tools and calls', () => {
  const control = { cache_control: { type: 'ephemeral', ttl: '1h' } };
  const request = decodeChat({
    tools: [{ type: 'function', function: { name: 'f' }, cache_control: { type: 'ephemeral' } }],
    messages: [
      { role: 'system', content: 'Be brief.', ...control },
      {
        role: 'user',
        content: [{ type: 'text', text: 'Hi', prompt_cache_breakpoint: { mode: 'explicit', ttl: '30m' } }],
      },
      {
        role: 'assistant',
        tool_calls: [{ id: 'a', type: 'function', function: { name: 'f', arguments: '{}' }, ...control }],
      },
      { role: 'tool', tool_call_id: 'a', content: 'x', ...control },
    ],
  });
  assert.deepEqual(request.tools[0]?.cache, {});
  assert.deepEqual(request.system[0]?.cache, { ttl: '1h' });
  assert.deepEqual(
    request.turns.map(({ blocks }) => blocks[0]?.cache),
    [{ ttl: '30m' }, { ttl: '1h' }, { ttl: '1h' }],
  );
});

test('reasoning in history is read plain, and signed from our own details', () => {
  const own = [
    { type: 'reasoning.text', text: '', format: 'sluice/anthropic', index: 0 },
    { type: 'reasoning.text', text: 'think', signature: 'sig', format: 'sluice/anthropic', index: 0 },
    { type: 'reasoning.encrypted', data: 'blob', format: 'sluice/anthropic', index: 1 },
  ];
  const { turns } = decodeChat({
    messages: [
      { role: 'assistant', content: 'a', reasoning_content: 'plain' },
      { role: 'assistant', content: 'b', reasoning: 'plain' },
      { role: 'assistant', content: 'c', reasoning_content: 'think', reasoning_details: own },
    ],
  });
  assert.deepEqual(turns[0]?.blocks[0], { type: 'reasoning', text: 'plain' });
  assert.deepEqual(turns[1]?.blocks[0], { type: 'reasoning', text: 'plain' });
  assert.deepEqual(turns[2]?.blocks.slice(0, 2), [
    { type: 'reasoning', text: 'think', signature: 'sig', issuer: 'anthropic' },
    { type: 'reasoning', text: '', redacted: 'blob', issuer: 'anthropic' },
  ]);
  assert.deepEqual(turns[2].extra?.chat?.['reasoning_details'], own);
});

test('an answer’s audio and name are kept with its message for providers of this format', () => {
  const messages = [
    { role: 'assistant', content: 'Hi', audio: { id: 'audio_1' }, name: 'tom' },
    { role: 'assistant', content: 'Hi', audio: null },
  ];
  const [spoken, written] = decodeChat({ messages }).turns;
  assert.deepEqual(spoken?.extra, { chat: { name: 'tom', audio: { id: 'audio_1' } } });
  assert.equal(written?.extra, undefined);
});

const toolCall = (id: string): JsonObject => ({
  id,
  type: 'function',
  function: { name: id, arguments: '{}' },
});

test('results of a later round are a turn of their own, also those of the deprecated function calls', () => {
  const { turns } = decodeChat({
    messages: [
      { role: 'assistant', content: null, tool_calls: [toolCall('a')] },
      { role: 'tool', tool_call_id: 'a', content: '1' },
      { role: 'user', content: 'Go on.' },
      { role: 'assistant', content: null, tool_calls: [toolCall('b')] },
      { role: 'tool', tool_call_id: 'b', content: '2' },
      { role: 'assistant', content: null, function_call: { name: 'f', arguments: '{}' } },
      { role: 'assistant', content: null, function_call: { name: 'g', arguments: '{}' } },
      { role: 'function', name: 'f', content: '3' },
      { role: 'function', name: 'g', content: '4' },
      { role: 'function', name: 'unknown', content: '5' },
    ],
  });
  const shown = turns.map(({ role, blocks }) =>
    [
      role,
      ...blocks.map((block) => ('callId' in block ? block.callId : 'id' in block ? block.id : block.type)),
    ].join(' '),
  );
  assert.deepEqual(shown, [
    'assistant a',
    'user a',
    'user text',
    'assistant b',
    'user b',
    'assistant call_5_f',
    'assistant call_6_g',
    'user call_5_f call_6_g call_0_unknown',
  ]);
});

test('what an assistant message carries beside its text is decoded: images, signed calls, refusals in parts', () => {
  const { turns } = decodeChat({
    messages: [
      {
        role: 'assistant',
        content: [{ type: 'refusal', refusal: 'No.' }],
        images: [
          { type: 'image_url', image_url: { url: 'data:image/png;base64,AAAA' } },
          { type: 'image_url' },
        ],
        tool_calls: [{ ...toolCall('a'), extra_content: { google: { x: 1 } } }, toolCall('b')],
      },
      { role: 'user', content: 'Go on.' },
    ],
  });
  const [refusal, image, first, second, ...others] = turns[0]?.blocks ?? [];
  assert.deepEqual(refusal, { type: 'text', text: 'No.', refusal: true });
  assert.deepEqual(image, {
    type: 'media',
    kind: 'image',
    mediaType: 'image/png',
    source: { base64: 'AAAA' },
  });
  assert.deepEqual(first && first.extra, { chat: { extra_content: { google: { x: 1 } } } });
  assert.deepEqual([second && 'extra' in second, others], [false, []]);
});
