import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { JsonObject } from '#base';
import { decodeAs } from '../../../../test/support/decode-as.ts';
import {
  createResponsesTarget,
  inputOf,
  openResponses,
  say,
  sendChat,
  sendMessages,
} from '../../../../test/support/responses-upstream.ts';

const REASONED = { type: 'thinking', thinking: 'Hm.', signature: 'sluice.openai.gAAAA' };

test('a request of another format becomes items, is not stored and requests encrypted reasoning', () => {
  const body = sendMessages({ system: 'Be brief.', max_tokens: 100, stream: true });
  assert.deepEqual(body, {
    model: 'upstream-model',
    instructions: 'Be brief.',
    input: [{ type: 'message', role: 'user', content: [{ type: 'input_text', text: 'Hello.' }] }],
    max_output_tokens: 100,
    include: ['reasoning.encrypted_content'],
    store: false,
    stream: true,
  });
});

test('instructions without a conversation are put in the input, which must not be empty', () => {
  const body = sendChat({ messages: [say('system', 'Be brief.')] });
  assert.equal(body['instructions'], undefined);
  assert.deepEqual(body['input'], [
    { type: 'message', role: 'developer', content: [{ type: 'input_text', text: 'Be brief.' }] },
  ]);
});

test('a conversation without any text is sent with a filler, as the input must not be empty', () => {
  const filled = [{ type: 'message', role: 'user', content: [{ type: 'input_text', text: '…' }] }];
  for (const messages of [[say('user', '')], [say('system', 'Be brief.'), say('user', '')]])
    assert.deepEqual(sendChat({ messages })['input'], filled);
});

test('a model without reasoning is sent no reasoning options and no reasoning', () => {
  const messages = [
    say('user', 'a'),
    say('assistant', [REASONED, { type: 'text', text: 'b' }]),
    say('user', 'c'),
  ];
  const body = sendMessages(
    { messages, thinking: { type: 'adaptive' } },
    createResponsesTarget({}, { reasoning: false }),
  );
  assert.equal(body['include'], undefined);
  assert.equal(body['reasoning'], undefined);
  assert.deepEqual(
    inputOf(body).map(({ type }) => type),
    ['message', 'message', 'message'],
  );
});

test('the output limit is neither below what OpenAI accepts nor above what the model gives', () => {
  assert.equal(sendMessages({ max_tokens: 1 })['max_output_tokens'], 16);
  assert.equal(sendMessages({ max_tokens: 900_000 })['max_output_tokens'], 32_000);
});

const EFFORTS: [string, JsonObject, JsonObject | undefined][] = [
  ['an effort the model has not', { output_config: { effort: 'max' } }, { effort: 'high' }],
  ['thinking on', { thinking: { type: 'adaptive' } }, { summary: 'auto' }],
  ['thinking omitted', { thinking: { type: 'adaptive', display: 'omitted' } }, undefined],
  ['a budget', { thinking: { type: 'enabled', budget_tokens: 5000 } }, { effort: 'medium', summary: 'auto' }],
  ['[D-36] thinking off', { thinking: { type: 'disabled' } }, { effort: 'none' }],
];
for (const [name, fields, expected] of EFFORTS) {
  test(`reasoning options are sent: ${name}`, () => {
    const efforts = ['none', 'low', 'medium', 'high'] as const;
    const body = sendMessages(
      { max_tokens: 9000, ...fields },
      createResponsesTarget({ efforts: [...efforts] }),
    );
    assert.deepEqual(body['reasoning'], expected);
  });
}

test('[D-78] the turns of a session share a cache key; a caller’s own key wins', () => {
  const headers = { 'x-claude-code-session-id': '0f8a-1' };
  const key = (request: ReturnType<typeof decodeAs>): unknown =>
    openResponses(request).body['prompt_cache_key'];
  assert.equal(key(decodeAs('messages', {}, headers)), '0f8a-1');
  assert.equal(key(decodeAs('messages')), undefined);
  assert.match(
    String(key(decodeAs('messages', {}, { 'x-claude-code-session-id': 'x'.repeat(99) }))),
    /^session_\w{32}$/,
  );
  assert.equal(key(decodeAs('chat', { prompt_cache_key: 'mine' })), 'mine');
});

test('[D-49] the fingerprint Claude Code opens with is left out', () => {
  const system = [
    { type: 'text', text: 'x-anthropic-billing-header: cc_version=1; cch=1' },
    { type: 'text', text: 'Be brief.' },
  ];
  assert.equal(sendMessages({ system })['instructions'], 'Be brief.');
});

test('structured output, verbosity, the end user and the tier have their own places', () => {
  const schema = { type: 'object', properties: {} };
  const body = sendChat({
    response_format: { type: 'json_schema', json_schema: { name: 'n', schema, strict: true } },
    verbosity: 'low',
    safety_identifier: 'someone',
    service_tier: 'flex',
  });
  assert.deepEqual(body['text'], {
    verbosity: 'low',
    format: { type: 'json_schema', name: 'n', schema, strict: true },
  });
  assert.equal(body['safety_identifier'], 'someone');
  assert.equal(body['service_tier'], 'flex');
  const json = { response_format: { type: 'json_object' } };
  assert.deepEqual(sendChat(json)['text'], { format: { type: 'json_object' } });
});

const UNSUPPORTED: [string, JsonObject][] = [
  ['logit_bias', { logit_bias: { '50256': -100 } }],
  ['logprobs', { logprobs: true }],
  ['audio', { audio: { voice: 'alloy', format: 'wav' } }],
];
for (const [param, fields] of UNSUPPORTED) {
  test(`${param} is refused by name`, () => {
    assert.throws(() => sendChat(fields), { code: 'unsupported_feature', param });
  });
}

test('sampling is sent if the model supports it, and fields that an upstream refuses are omitted', () => {
  const fields = { temperature: 0.5, top_p: 0.9, top_k: 5 };
  const body = sendMessages(fields);
  assert.deepEqual([body['temperature'], body['top_p'], body['top_k']], [0.5, 0.9, undefined]);
  const none = sendMessages(fields, createResponsesTarget({ sampling: 'none', refusedFields: ['include'] }));
  assert.deepEqual([none['temperature'], none['include']], [undefined, undefined]);
});
