import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { JsonObject } from '#base';
import {
  createResponsesTarget,
  inputOf,
  say,
  sendChat,
  sendMessages,
} from '../../../../test/support/responses-upstream.ts';

const REASONED = { type: 'thinking', thinking: 'Hm.', signature: 'sluice.openai.gAAAA' };

test('[D-45] reasoning is returned only to its issuer, before the item it led to', () => {
  const call = { type: 'tool_use', id: 'call_1', name: 'f', input: { a: 1 } };
  const result = { type: 'tool_result', tool_use_id: 'call_1', content: 'done' };
  const redacted = { type: 'redacted_thinking', data: 'sluice.openai.gBBBB' };
  const messages = [
    say('user', 'a'),
    say('assistant', [
      REASONED,
      redacted,
      { type: 'thinking', thinking: 'mine', signature: 'anthropic' },
      call,
    ]),
    say('user', [result]),
  ];
  const [, first, second, third] = inputOf(sendMessages({ messages }));
  assert.deepEqual(first, {
    type: 'reasoning',
    summary: [{ type: 'summary_text', text: 'Hm.' }],
    encrypted_content: 'gAAAA',
  });
  assert.deepEqual(second, { type: 'reasoning', summary: [], encrypted_content: 'gBBBB' });
  assert.deepEqual(third, { type: 'function_call', call_id: 'call_1', name: 'f', arguments: '{"a":1}' });
  const elsewhere = inputOf(sendMessages({ messages }, createResponsesTarget({ issuer: 'xai' })));
  assert.ok(elsewhere.every(({ type }) => type !== 'reasoning'));
});

test('reasoning without a following item is omitted, because OpenAI refuses it', () => {
  const messages = [say('user', 'a'), say('assistant', [REASONED]), say('user', 'b')];
  assert.ok(inputOf(sendMessages({ messages })).every(({ type }) => type !== 'reasoning'));
});

test('unsigned reasoning is returned only to upstreams that expect it', () => {
  const messages = [
    say('user', 'a'),
    { role: 'assistant', content: 'b', reasoning_content: 'Hm.' },
    say('user', 'c'),
  ];
  assert.equal(inputOf(sendChat({ messages })).length, 3);
  const body = sendChat({ messages }, createResponsesTarget({ reasoningReplay: 'reasoning' }));
  assert.deepEqual(inputOf(body)[1], {
    type: 'reasoning',
    summary: [],
    content: [{ type: 'reasoning_text', text: 'Hm.' }],
  });
});

test('[D-31] images and files in a tool result stay in it', () => {
  const png = { type: 'base64', media_type: 'image/png', data: 'AAAA' };
  const messages = [
    say('user', 'look'),
    say('assistant', [{ type: 'tool_use', id: 'call_1', name: 'read', input: {} }]),
    say('user', [
      {
        type: 'tool_result',
        tool_use_id: 'call_1',
        content: [
          { type: 'text', text: 'here' },
          { type: 'image', source: png },
          { type: 'document', title: 'a.pdf', source: { ...png, media_type: 'application/pdf' } },
        ],
      },
      { type: 'text', text: 'and?' },
    ]),
  ];
  assert.deepEqual(inputOf(sendMessages({ messages })).slice(2), [
    {
      type: 'function_call_output',
      call_id: 'call_1',
      output: [
        { type: 'input_text', text: 'here' },
        { type: 'input_image', detail: 'auto', image_url: 'data:image/png;base64,AAAA' },
        { type: 'input_file', filename: 'a.pdf', file_data: 'data:application/pdf;base64,AAAA' },
      ],
    },
    { type: 'message', role: 'user', content: [{ type: 'input_text', text: 'and?' }] },
  ]);
});

test('[D-85] every call has one output, and a result without its call becomes a user message', () => {
  const call = (id: string): JsonObject => ({ type: 'tool_use', id, name: 'f', input: {} });
  const result = (id: string, content: string): JsonObject => ({
    type: 'tool_result',
    tool_use_id: id,
    content,
  });
  const messages = [
    say('user', 'a'),
    say('assistant', [call('call_1'), call('call_2')]),
    say('user', [
      { type: 'text', text: 'first' },
      result('call_2', 'two'),
      result('call_2', 'more'),
      result('x', 'lost'),
    ]),
  ];
  const items = inputOf(sendMessages({ messages })).slice(3);
  assert.deepEqual(
    items.map(({ type, call_id: id, output }) => [type, id, output]),
    [
      ['function_call_output', 'call_1', 'Error: the tool call was interrupted and gave no result'],
      ['function_call_output', 'call_2', 'two\nmore'],
      ['message', undefined, undefined],
    ],
  );
  const texts = (items[2]?.['content'] as JsonObject[]).map(({ text }) => text);
  assert.deepEqual(texts, ['first', 'Result of an earlier tool call (x): lost']);
});

test('[D-75] cache marks are set on parts that support them, and instructions with a mark start the input', () => {
  const cache = { cache_control: { type: 'ephemeral' } };
  const marked = (text: string): JsonObject => ({ type: 'text', text, ...cache });
  const body = sendMessages(
    {
      system: [marked('rules')],
      messages: [
        say('user', [{ type: 'text', text: 'a' }]),
        say('assistant', [marked('b')]),
        say('user', [marked('c')]),
      ],
    },
    createResponsesTarget({ cacheMarks: 'prompt_cache_breakpoint' }),
  );
  const mark = { prompt_cache_breakpoint: { mode: 'explicit' } };
  assert.equal(body['instructions'], undefined);
  assert.deepEqual(inputOf(body), [
    { type: 'message', role: 'developer', content: [{ type: 'input_text', text: 'rules', ...mark }] },
    { type: 'message', role: 'user', content: [{ type: 'input_text', text: 'a', ...mark }] },
    { type: 'message', role: 'assistant', content: [{ type: 'output_text', text: 'b' }] },
    { type: 'message', role: 'user', content: [{ type: 'input_text', text: 'c', ...mark }] },
  ]);
});

test('[D-32] instructions mid-conversation stay in place, or become user messages if necessary', () => {
  const messages = [say('user', 'a'), say('assistant', 'b'), say('system', 'c'), say('user', 'd')];
  const rolesOf = (body: JsonObject): unknown[] => inputOf(body).map(({ role }) => role);
  assert.deepEqual(rolesOf(sendMessages({ messages })), ['user', 'assistant', 'developer', 'user']);
  const strict = createResponsesTarget({ midSystem: 'as-user' });
  assert.deepEqual(rolesOf(sendMessages({ messages }, strict)), ['user', 'assistant', 'user', 'user']);
});

test('a conversation that ends with the assistant is refused, because nothing here continues it', () => {
  const messages = [say('user', 'a'), say('assistant', 'The answer is')];
  assert.throws(() => sendMessages({ messages }), { code: 'unsupported_feature' });
});
