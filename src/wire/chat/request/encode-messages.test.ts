import assert from 'node:assert/strict';
import { test } from 'node:test';
import { type JsonObject, type JsonValue, isJsonObject } from '#base';
import type { Block, Dialect, ToolCallBlock, ToolResultBlock, Turn } from '#canonical';
import { encodeChat } from '../../../../test/support/chat-exchange.ts';
import { createForeignRequest } from '../../../../test/support/foreign-request.ts';

const text = (value: string, cache?: Block['cache']): Block => ({
  type: 'text',
  text: value,
  ...(cache && { cache }),
});
const image: Block = { type: 'media', kind: 'image', mediaType: 'image/png', source: { base64: 'AAAA' } };
const IMAGE_PART = { type: 'image_url', image_url: { url: 'data:image/png;base64,AAAA' } };

function call(id: string, name = 'f'): ToolCallBlock {
  return { type: 'tool-call', id, name, input: { value: { a: 1 } } };
}

function result(callId: string, blocks: Block[], isError = false): ToolResultBlock {
  return { type: 'tool-result', callId, blocks, isError };
}

function encode(turns: Turn[], dialect: Partial<Dialect> = {}, system: Block[] = []): JsonObject[] {
  const messages: JsonValue | undefined = encodeChat(createForeignRequest({ turns, system }), dialect)[
    'messages'
  ];
  assert.ok(Array.isArray(messages));
  return messages.filter(isJsonObject);
}

function roles(messages: JsonObject[]): unknown[] {
  return messages.map((message) => message['role']);
}

test('[D-49] the attribution block of Claude Code never reaches a Chat upstream', () => {
  const attribution = text('x-anthropic-billing-header: cc_version=2.1; cch=abc');
  const messages = encode([], {}, [attribution, text('You are helpful.'), text('Be brief.')]);
  assert.deepEqual(messages, [{ role: 'system', content: 'You are helpful.\n\nBe brief.' }]);
  const later = encode([], {}, [text('You are helpful.'), attribution]);
  assert.match(JSON.stringify(later), /billing-header/);
});

test('the opening instructions take the role of the dialect', () => {
  assert.deepEqual(encode([], { systemRole: 'developer' }, [text('x')]), [
    { role: 'developer', content: 'x' },
  ]);
});

test('[D-32] instructions mid-conversation stay in place, or become user messages', () => {
  const turns: Turn[] = [
    { role: 'user', blocks: [text('a')] },
    { role: 'system', blocks: [text('b')] },
  ];
  assert.deepEqual(roles(encode(turns)), ['user', 'system']);
  assert.deepEqual(roles(encode(turns, { midSystem: 'as-user' })), ['user', 'user']);
});

test('[D-85] results come first and contiguous, then the rest of the turn as one user message', () => {
  const messages = encode([
    { role: 'assistant', blocks: [text('Looking.'), call('a'), call('b')] },
    {
      role: 'user',
      blocks: [text('By the way'), result('b', [text('two')]), result('a', [text('one')]), text('go on')],
    },
  ]);
  assert.deepEqual(messages, [
    {
      role: 'assistant',
      content: 'Looking.',
      tool_calls: [
        { id: 'a', type: 'function', function: { name: 'f', arguments: '{"a":1}' } },
        { id: 'b', type: 'function', function: { name: 'f', arguments: '{"a":1}' } },
      ],
    },
    { role: 'tool', tool_call_id: 'a', content: 'one' },
    { role: 'tool', tool_call_id: 'b', content: 'two' },
    {
      role: 'user',
      content: [
        { type: 'text', text: 'By the way' },
        { type: 'text', text: 'go on' },
      ],
    },
  ]);
});

test('[D-84] results split over turns and behind instructions still follow their calls', () => {
  const messages = encode([
    { role: 'assistant', blocks: [call('a'), call('b')] },
    { role: 'system', blocks: [text('Careful.')] },
    { role: 'user', blocks: [result('a', [text('one')])] },
    { role: 'user', blocks: [result('b', [text('two')]), text('go on')] },
  ]);
  assert.deepEqual(roles(messages), ['assistant', 'tool', 'tool', 'system', 'user']);
});

test('[D-31] images in a tool result move into the user message after all results', () => {
  const messages = encode([
    { role: 'assistant', blocks: [call('a'), call('b')] },
    {
      role: 'user',
      blocks: [result('a', [text('See:'), image]), result('b', [text('two')]), text('What is it?')],
    },
  ]);
  assert.deepEqual(roles(messages), ['assistant', 'tool', 'tool', 'user']);
  assert.equal(messages[1]?.['content'], 'See:\n[image: attached to the next user message]');
  assert.deepEqual(messages[3]?.['content'], [
    { type: 'text', text: 'The image of tool result a:' },
    IMAGE_PART,
    { type: 'text', text: 'What is it?' },
  ]);
  const alone = encode([
    { role: 'assistant', blocks: [call('a')] },
    { role: 'user', blocks: [result('a', [image])] },
  ]);
  assert.deepEqual(roles(alone), ['assistant', 'tool', 'user']);
});

test('[D-27] several results of one call are one message', () => {
  const messages = encode([
    { role: 'assistant', blocks: [call('a')] },
    { role: 'user', blocks: [result('a', [text('one')]), result('a', [text('two')], true)] },
  ]);
  assert.deepEqual(messages.slice(1), [{ role: 'tool', tool_call_id: 'a', content: 'Error: one\ntwo' }]);
});

test('[D-84] a call without a result gets an error, a result without a call becomes text', () => {
  const messages = encode([
    { role: 'assistant', blocks: [call('a')] },
    { role: 'user', blocks: [result('gone', [text('late')]), text('go on')] },
  ]);
  assert.deepEqual(roles(messages), ['assistant', 'tool', 'user']);
  assert.match(JSON.stringify(messages[1]?.['content']), /^"Error: /);
  assert.match(JSON.stringify(messages[2]), /gone.*late.*go on/);
  assert.deepEqual(roles(encode([{ role: 'assistant', blocks: [call('a')] }])), ['assistant', 'tool']);
});

test('an empty tool result is an empty string, and a failed one starts with Error', () => {
  const messages = encode([
    { role: 'assistant', blocks: [call('a'), call('b')] },
    { role: 'user', blocks: [result('a', []), result('b', [text('no')], true)] },
  ]);
  assert.deepEqual(
    messages.slice(1).map((message) => message['content']),
    ['', 'Error: no'],
  );
});

test('[D-54] a tool reference becomes text', () => {
  const reference: Block = {
    type: 'native',
    format: 'messages',
    value: { type: 'tool_reference', tool_name: 'x' },
  };
  const messages = encode([
    { role: 'assistant', blocks: [call('a')] },
    { role: 'user', blocks: [result('a', [reference])] },
  ]);
  assert.equal(messages[1]?.['content'], 'Tool available: x');
});

test('[D-17] a call without arguments has {}', () => {
  const bare: ToolCallBlock = { type: 'tool-call', id: 'a', name: 'f', input: { json: '' } };
  assert.match(JSON.stringify(encode([{ role: 'assistant', blocks: [bare] }])), /"arguments":"\{\}"/);
});

test('[D-29] empty texts are dropped, and content is null only beside calls', () => {
  const messages = encode([
    { role: 'user', blocks: [text(''), text('a')] },
    { role: 'assistant', blocks: [text('')] },
    { role: 'user', blocks: [text('b')] },
    { role: 'assistant', blocks: [text(''), call('a')] },
  ]);
  assert.deepEqual(
    messages.map((message) => message['content']),
    ['a', 'b', null, 'Error: the tool call was interrupted and gave no result'],
  );
});

test('[D-34] [D-44] unsigned thinking is returned in the dialect’s field, signed thinking is dropped', () => {
  const turns: Turn[] = [
    { role: 'assistant', blocks: [{ type: 'reasoning', text: 'plain' }, text('a')] },
    { role: 'user', blocks: [text('b')] },
    {
      role: 'assistant',
      blocks: [{ type: 'reasoning', text: 'secret', signature: 's', issuer: 'anthropic' }, call('a')],
    },
  ];
  assert.doesNotMatch(JSON.stringify(encode(turns)), /plain|secret|reasoning/);
  const replayed = encode(turns, { reasoningReplay: 'reasoning_content' });
  assert.equal(replayed[0]?.['reasoning_content'], 'plain');
  assert.equal(replayed[2]?.['reasoning_content'], '');
  assert.doesNotMatch(JSON.stringify(replayed), /secret/);
  assert.equal(encode(turns, { reasoningReplay: 'reasoning' })[0]?.['reasoning'], 'plain');
});

test('blocks of another format are dropped, and the others stay', () => {
  const server: Block = { type: 'native', format: 'messages', value: { type: 'server_tool_use', id: 's' } };
  assert.deepEqual(encode([{ role: 'assistant', blocks: [text('a'), server, text('b')] }]), [
    { role: 'assistant', content: 'ab' },
  ]);
});

test('documents are sent as files if the target accepts them, as text if they are text, and refused otherwise', () => {
  const pdf: Block = {
    type: 'media',
    kind: 'document',
    mediaType: 'application/pdf',
    source: { base64: 'AAAA' },
    title: 'a.pdf',
  };
  const note: Block = {
    type: 'media',
    kind: 'document',
    source: { text: 'body' },
    title: 'Title',
    context: 'From mail',
  };
  const media = { image: true, imageUrl: true, document: true, audio: false };
  assert.deepEqual(encode([{ role: 'user', blocks: [pdf] }], { media })[0]?.['content'], [
    { type: 'file', file: { file_data: 'data:application/pdf;base64,AAAA', filename: 'a.pdf' } },
  ]);
  const explained = encode([{ role: 'user', blocks: [{ ...pdf, context: 'From mail' }] }], { media });
  assert.deepEqual((explained[0]?.['content'] as JsonObject[])[0], { type: 'text', text: 'From mail' });
  assert.equal(encode([{ role: 'user', blocks: [note] }])[0]?.['content'], 'Title\nFrom mail\nbody');
  const refused: [Block, Partial<Dialect>, RegExp][] = [
    [pdf, {}, /documents \(application\/pdf\)/],
    [image, { media: { ...media, image: false } }, /images/],
    [
      { type: 'media', kind: 'image', source: { url: 'https://a/b' } },
      { media: { ...media, imageUrl: false } },
      /URL/,
    ],
    [{ type: 'media', kind: 'image', source: { fileId: 'f', format: 'messages' } }, {}, /file id/],
    [{ type: 'media', kind: 'audio', mediaType: 'audio/wav', source: { base64: 'A' } }, {}, /audio/],
  ];
  for (const [block, dialect, words] of refused) {
    assert.throws(() => encode([{ role: 'user', blocks: [block] }], dialect), {
      code: 'unsupported_feature',
      message: words,
    });
  }
});

test('[D-75] [D-77] cache marks are set on parts, calls and results in the form of the dialect', () => {
  const turns: Turn[] = [
    { role: 'user', blocks: [text('a', { ttl: '1h' })] },
    { role: 'assistant', blocks: [text('b', {}), { ...call('a'), cache: {} }] },
    { role: 'user', blocks: [{ ...result('a', [text('c')]), cache: { ttl: '5m' } }] },
  ];
  const control = encode(turns, { cacheMarks: 'cache_control' }, [text('s', {})]);
  assert.equal(JSON.stringify(control).match(/cache_control/g)?.length, 5);
  assert.deepEqual(control[1]?.['content'], [
    { type: 'text', text: 'a', cache_control: { type: 'ephemeral', ttl: '1h' } },
  ]);
  const breakpoint = encode(turns, { cacheMarks: 'prompt_cache_breakpoint' });
  assert.deepEqual(breakpoint[0]?.['content'], [
    { type: 'text', text: 'a', prompt_cache_breakpoint: { mode: 'explicit' } },
  ]);
  assert.doesNotMatch(JSON.stringify(encode(turns)), /cache/);
});

test('[D-74] the mark of a dropped text moves to the part before it, never onto an empty one', () => {
  const marked = encode([{ role: 'user', blocks: [text('a'), text('', {})] }], {
    cacheMarks: 'cache_control',
  });
  assert.deepEqual(marked[0]?.['content'], [
    { type: 'text', text: 'a', cache_control: { type: 'ephemeral' } },
  ]);
  const lost = encode([{ role: 'user', blocks: [text('', {}), text('a')] }], { cacheMarks: 'cache_control' });
  assert.equal(lost[0]?.['content'], 'a');
});

test('[D-20] [D-21] ids that do not fit are hashed alike in calls and results', () => {
  const long = `toolu_${'x'.repeat(80)}`;
  const turns: Turn[] = [
    { role: 'assistant', blocks: [call(long), call('functions.f:0'), call('abc123XYZ')] },
    { role: 'user', blocks: [result(long, []), result('functions.f:0', []), result('abc123XYZ', [])] },
  ];
  const messages = encode(turns, { toolCallId: { maxLength: 9, alphabet: 'alphanumeric', exactLength: 9 } });
  const [assistant, ...tools] = messages;
  assert.ok(Array.isArray(assistant?.['tool_calls']));
  const ids = assistant['tool_calls'].filter(isJsonObject).map((item) => item['id']);
  assert.deepEqual(
    tools.map((message) => message['tool_call_id']),
    ids,
  );
  for (const id of ids) assert.match(JSON.stringify(id), /^"[A-Za-z0-9]{9}"$/);
  assert.equal(ids[2], 'abc123XYZ');
  assert.equal(new Set(ids).size, 3);
});
