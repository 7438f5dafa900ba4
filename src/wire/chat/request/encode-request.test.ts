import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { JsonObject } from '#base';
import { CHAT_DIALECT, type CanonicalRequest, type Dialect, type ReasoningOptions } from '#canonical';
import { createChatTarget, decodeChat, encodeChat } from '../../../../test/support/chat-exchange.ts';
import { createForeignRequest } from '../../../../test/support/foreign-request.ts';
import { EncodeContext } from '../../request/encode-context.ts';
import { encodeRequest } from './encode-request.ts';

const TOOL: JsonObject = {
  type: 'function',
  function: { name: 'f', parameters: { type: 'object', properties: {} } },
};

function bodyFor(request: CanonicalRequest, rest: Parameters<typeof createChatTarget>[1]): JsonObject {
  return encodeRequest(new EncodeContext(request, createChatTarget({}, rest)));
}

test("a Chat caller's messages and tools travel as the very objects that were parsed", () => {
  const request = decodeChat({
    tools: [TOOL],
    messages: [{ role: 'user', content: [{ type: 'text', text: 'x' }] }],
  });
  const body = encodeChat(request);
  assert.equal(body['messages'], request.origin.body['messages']);
  assert.equal(body['tools'], request.origin.body['tools']);
});

test('the top level is rebuilt: model, limit, stream, n, and no unknown field', () => {
  const request = decodeChat({
    max_tokens: 5,
    n: 4,
    stream: true,
    unknown: 1,
    metadata: { a: 'b' },
    stream_options: { include_obfuscation: false },
  });
  const body = encodeChat(request, { maxTokensField: 'max_completion_tokens' });
  assert.deepEqual(body, {
    model: 'upstream-model',
    messages: [{ role: 'user', content: 'Hello.' }],
    max_completion_tokens: 5,
    metadata: { a: 'b' },
    stream: true,
    stream_options: { include_usage: true },
  });
  assert.equal(encodeChat(request, { streamUsage: false })['stream_options'], undefined);
});

test('[D-6] usage is requested in every stream, whether or not the client requested it', () => {
  for (const request of [decodeChat({ stream: true }), createForeignRequest({ stream: true })]) {
    assert.deepEqual(encodeChat(request)['stream_options'], { include_usage: true });
  }
  assert.equal('stream_options' in encodeChat(decodeChat({})), false);
});

test('[D-37] the output limit is clamped to the model’s, in the field it supports', () => {
  assert.equal(bodyFor(decodeChat({ max_tokens: 100_000 }), { maxOutput: 8192 })['max_tokens'], 8192);
  assert.equal(bodyFor(createForeignRequest({ maxOutputTokens: 0 }), {})['max_tokens'], 1);
  assert.equal(bodyFor(decodeChat({}), { maxOutput: 8192 })['max_tokens'], undefined);
});

test('[D-35] stop sequences are always a list, cut to what is accepted', () => {
  assert.deepEqual(encodeChat(decodeChat({ stop: 'a' }))['stop'], ['a']);
  assert.deepEqual(encodeChat(decodeChat({ stop: ['a', 'b', 'c', 'd', 'e'] }))['stop'], ['a', 'b', 'c', 'd']);
  assert.equal(encodeChat(decodeChat({ stop: 'a' }), { maxStopSequences: 0 })['stop'], undefined);
});

test('sampling parameters are sent as far as the model supports them', () => {
  const request = decodeChat({
    temperature: 2,
    top_p: 0.5,
    top_k: 4,
    frequency_penalty: 1,
    seed: 1,
    logit_bias: { 1: 1 },
  });
  assert.deepEqual(Object.keys(encodeChat(request)).slice(2), [
    'temperature',
    'top_p',
    'frequency_penalty',
    'seed',
    'logit_bias',
  ]);
  assert.deepEqual(Object.keys(encodeChat(request, { sampling: 'none' })).slice(2), ['seed']);
  const narrow = encodeChat(request, {
    sampling: 'no-penalties',
    maxTemperature: 1,
    topK: true,
    refusedFields: ['seed', 'logit_bias'],
  });
  assert.deepEqual(narrow, {
    model: 'upstream-model',
    messages: narrow['messages'],
    temperature: 1,
    top_p: 0.5,
    top_k: 4,
  });
});

test('[D-36] [D-38] requested reasoning is set in the field and strength of the target', () => {
  const efforts: Dialect['efforts'] = ['low', 'medium', 'high'];
  const cases: [ReasoningOptions, Partial<Dialect>, JsonObject][] = [
    [{ mode: 'budget', budgetTokens: 500 }, { efforts }, { reasoning_effort: 'low' }],
    [{ mode: 'budget', budgetTokens: 8000 }, { efforts }, { reasoning_effort: 'medium' }],
    [{ mode: 'budget', budgetTokens: 30_000 }, { efforts }, { reasoning_effort: 'high' }],
    [{ effort: 'max' }, { efforts }, { reasoning_effort: 'high' }],
    [{ mode: 'adaptive', effort: 'medium' }, { efforts }, { reasoning_effort: 'medium' }],
    [{ mode: 'adaptive' }, { efforts }, {}],
    [{ mode: 'off' }, { efforts }, { reasoning_effort: 'low' }],
    [{ mode: 'off' }, { efforts: ['none', 'low'] }, { reasoning_effort: 'none' }],
    [{ mode: 'off' }, { efforts: ['minimal', 'low'] }, { reasoning_effort: 'minimal' }],
    [{ effort: 'minimal' }, { efforts: ['none', 'low'] }, { reasoning_effort: 'low' }],
    [{ effort: 'high' }, { efforts: [] }, {}],
    [{ effort: 'high' }, { efforts, reasoningField: 'none' }, {}],
    [{ effort: 'high' }, { efforts, reasoningField: 'reasoning.effort' }, { reasoning: { effort: 'high' } }],
    [{ mode: 'off' }, { reasoningField: 'thinking.type' }, { thinking: { type: 'disabled' } }],
    [{ effort: 'low' }, { reasoningField: 'thinking.type' }, { thinking: { type: 'enabled' } }],
    [{ mode: 'off' }, { reasoningField: 'enable_thinking' }, { enable_thinking: false }],
    [
      { mode: 'budget', budgetTokens: 500 },
      { reasoningField: 'enable_thinking' },
      { enable_thinking: true, thinking_budget: 1024 },
    ],
  ];
  for (const [reasoning, dialect, expected] of cases) {
    const { model, messages, ...rest } = encodeChat(createForeignRequest({ reasoning }), dialect);
    assert.ok(model && messages);
    assert.deepEqual(rest, expected, JSON.stringify([reasoning, dialect]));
  }
  assert.equal(
    bodyFor(decodeChat({ reasoning_effort: 'high' }), { reasoning: false })['reasoning_effort'],
    undefined,
  );
});

test('structured output is requested in the target’s form, or in the prompt', () => {
  const closed = {
    type: 'object',
    properties: { a: { type: 'string' } },
    required: ['a'],
    additionalProperties: false,
  };
  const requested = createForeignRequest({ output: { type: 'json-schema', name: 'output', schema: closed } });
  assert.deepEqual(encodeChat(requested)['response_format'], {
    type: 'json_schema',
    json_schema: { name: 'output', schema: closed, strict: true },
  });
  const loose = createForeignRequest({
    output: { type: 'json-schema', name: 'output', schema: { type: 'object' } },
  });
  assert.deepEqual(encodeChat(loose)['response_format'], {
    type: 'json_schema',
    json_schema: { name: 'output', schema: { type: 'object' } },
  });
  const named = (name: string): unknown =>
    encodeChat(createForeignRequest({ output: { type: 'json-schema', name, schema: closed } }))[
      'response_format'
    ];
  assert.deepEqual(named('weather'), {
    type: 'json_schema',
    json_schema: { name: 'weather', schema: closed, strict: true },
  });
  assert.deepEqual(named(''), named('output'), 'Chat requires a name');
  const json = encodeChat(requested, { structuredOutput: 'json' });
  assert.deepEqual(json['response_format'], { type: 'json_object' });
  assert.match(JSON.stringify(json['messages']), /JSON Schema/);
  const none = encodeChat(requested, { structuredOutput: 'none' });
  assert.equal(none['response_format'], undefined);
  assert.match(JSON.stringify(none['messages']), /JSON Schema/);
  const chat = decodeChat({ response_format: { type: 'json_object' } });
  assert.equal(encodeChat(chat, { structuredOutput: 'json' })['messages'], chat.origin.body['messages']);
});

test('the end user is named in one field, hashed where the name is long', () => {
  assert.equal(encodeChat(createForeignRequest({ endUser: 'u1' }))['user'], 'u1');
  const long = encodeChat(createForeignRequest({ endUser: 'u'.repeat(200) }))['user'];
  assert.ok(typeof long === 'string' && long.length <= 64 && long.startsWith('user_'));
  assert.equal(encodeChat(createForeignRequest({ endUser: 'u'.repeat(200) }))['user'], long);
  const own = encodeChat(decodeChat({ safety_identifier: 's' }));
  assert.deepEqual([own['safety_identifier'], own['user']], ['s', undefined]);
  assert.equal(encodeChat(decodeChat({ user: 'u' }), { refusedFields: ['user'] })['user'], undefined);
});

test('[D-78] a prompt cache key passes unchanged, and none is invented', () => {
  assert.equal(encodeChat(decodeChat({ prompt_cache_key: 'k' }))['prompt_cache_key'], 'k');
  assert.equal('prompt_cache_key' in encodeChat(createForeignRequest()), false);
});

test('parallel_tool_calls is sent only if it was set, is supported and there are tools', () => {
  const request = decodeChat({ tools: [TOOL], parallel_tool_calls: false });
  assert.equal(encodeChat(request)['parallel_tool_calls'], false);
  assert.equal('parallel_tool_calls' in encodeChat(request, { parallelToolCalls: false }), false);
  assert.equal('parallel_tool_calls' in encodeChat(decodeChat({ tools: [TOOL] })), false);
  assert.equal('parallel_tool_calls' in encodeChat(decodeChat({ parallel_tool_calls: false })), false);
});

test('a service tier of another format is translated, never copied', () => {
  assert.equal(encodeChat(createForeignRequest({ serviceTier: 'standard_only' }))['service_tier'], 'default');
  assert.equal('service_tier' in encodeChat(createForeignRequest({ serviceTier: 'auto' })), false);
  assert.equal(encodeChat(decodeChat({ service_tier: 'flex' }))['service_tier'], 'flex');
});

test('a conversation that ends with the assistant is refused where the target cannot continue it', () => {
  const request = decodeChat({
    messages: [
      { role: 'user', content: 'a' },
      { role: 'assistant', content: 'b' },
    ],
  });
  assert.throws(() => encodeChat(request, { prefill: false }), { code: 'unsupported_feature' });
  assert.doesNotThrow(() => encodeChat(request));
});

test('encoding never changes what was decoded', () => {
  const request = decodeChat({
    tools: [{ ...TOOL, cache_control: { type: 'ephemeral' } }],
    messages: [
      { role: 'user', content: [{ type: 'text', text: 'x', cache_control: { type: 'ephemeral' } }] },
    ],
  });
  const before = JSON.stringify(request);
  encodeChat(request, { cacheMarks: 'prompt_cache_breakpoint', maxToolName: 16 });
  assert.equal(JSON.stringify(request), before);
});

test('an end user’s name of up to 64 characters is sent as it is', () => {
  const sent = (length: number) => encodeChat(createForeignRequest({ endUser: 'u'.repeat(length) }))['user'];
  assert.equal(sent(64), 'u'.repeat(64));
  assert.match(JSON.stringify(sent(65)), /^"user_\w{32}"$/);
});

test('a model without reasoning gets no reasoning options, and effort beside tools only where it is accepted', () => {
  const efforts: Dialect['efforts'] = ['low', 'high'];
  const request = createForeignRequest({ reasoning: { effort: 'high' } });
  const fields = [
    'none',
    'reasoning_effort',
    'reasoning.effort',
    'thinking.type',
    'enable_thinking',
    'thinking',
  ] as const;
  const sent = (reasoningField: Dialect['reasoningField'], reasoning: boolean, of = efforts) => {
    const target = { dialect: { ...CHAT_DIALECT, reasoningField, efforts: of }, reasoning };
    const { model, messages, ...rest } = bodyFor(request, target);
    assert.ok(model && messages);
    return rest;
  };
  for (const field of fields) assert.deepEqual(sent(field, false), {}, field);
  assert.deepEqual(sent('none', true), {});
  assert.deepEqual(sent('thinking.type', true), { thinking: { type: 'enabled' }, reasoning_effort: 'high' });
  assert.deepEqual(sent('thinking.type', true, []), { thinking: { type: 'enabled' } });
  for (const field of ['reasoning_effort', 'reasoning.effort'] as const) {
    assert.deepEqual(sent(field, true, []), {});
    assert.equal(JSON.stringify(sent(field, true, ['high'])).includes('high'), true, 'the only effort');
  }
  assert.deepEqual(sent('thinking.type', true, ['high'])['reasoning_effort'], 'high');
  const off = createForeignRequest({ reasoning: { mode: 'off' } });
  assert.deepEqual(encodeChat(off, { reasoningField: 'thinking' })['thinking'], { type: 'disabled' });
  const budgets = (['minimal', 'low', 'medium'] as const).map((effort) => {
    const asked = encodeChat(createForeignRequest({ reasoning: { effort } }), { reasoningField: 'thinking' });
    return asked['thinking'];
  });
  assert.deepEqual(
    budgets,
    [1024, 2048, 8192].map((budget_tokens) => ({ type: 'enabled', budget_tokens })),
  );
  const withTool = decodeChat({ tools: [TOOL], reasoning_effort: 'high' });
  const effortOf = (asked: CanonicalRequest, effortWithTools: boolean) =>
    encodeChat(asked, { efforts, effortWithTools })['reasoning_effort'];
  assert.deepEqual([effortOf(withTool, true), effortOf(withTool, false)], ['high', undefined]);
  assert.equal(effortOf(decodeChat({ reasoning_effort: 'high' }), false), 'high');
});

test('penalties of a caller are sent', () => {
  const body = encodeChat(decodeChat({ presence_penalty: 0.5, frequency_penalty: -0.5 }));
  assert.deepEqual([body['presence_penalty'], body['frequency_penalty']], [0.5, -0.5]);
});
