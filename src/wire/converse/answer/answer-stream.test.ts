import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { JsonObject, SseMessage } from '#base';
import { CONVERSE_DIALECT, type CanonicalRequest, type GenerationEvent, collect } from '#canonical';
import { type Exchange, getOutboundFormat } from '#wire';
import { createForeignRequest } from '../../../../test/support/foreign-request.ts';

const request = createForeignRequest({ stream: true, streamUsage: true });

function open(changes: Partial<CanonicalRequest> = {}): Exchange {
  const target = { providerId: 'p', externalId: 'model-1', dialect: CONVERSE_DIALECT, reasoning: true };
  return getOutboundFormat('converse').openExchange({ ...request, ...changes }, target);
}

type Step = [event: string, body: JsonObject];

function decode(steps: Step[], exchange = open()): GenerationEvent[] {
  const decoder = exchange.createStreamDecoder();
  const events = steps.flatMap(([event, body]): GenerationEvent[] => {
    const message: SseMessage = { event, data: JSON.stringify(body) };
    return decoder.push(message);
  });
  return [...events, ...decoder.close()];
}

const delta = (contentBlockIndex: number, change: JsonObject): Step => [
  'contentBlockDelta',
  { contentBlockIndex, delta: change, p: 'abcdef' },
];
const stop = (contentBlockIndex: number): Step => ['contentBlockStop', { contentBlockIndex }];
const tool = (contentBlockIndex: number, toolUseId: string, name = 'weather'): Step => [
  'contentBlockStart',
  { contentBlockIndex, start: { toolUse: { toolUseId, name } } },
];
const begin: Step = ['messageStart', { role: 'assistant' }];
const end = (stopReason = 'end_turn'): Step => ['messageStop', { stopReason }];
const usage: Step = [
  'metadata',
  {
    usage: {
      inputTokens: 7,
      outputTokens: 5,
      cacheReadInputTokens: 100,
      cacheWriteInputTokens: 30,
      cacheDetails: [
        { ttl: '1h', inputTokens: 10 },
        { ttl: '5m', inputTokens: 20 },
      ],
      totalTokens: 142,
    },
  },
];

test('[D-83] text and reasoning begin with their first delta, calls with their announcement, each in its own block', () => {
  const events = decode([
    begin,
    delta(0, { reasoningContent: { text: 'Hm' } }),
    delta(0, { reasoningContent: { signature: 'sig' } }),
    stop(0),
    delta(1, { text: 'Two ' }),
    delta(1, { text: 'calls.' }),
    tool(2, 'a'),
    delta(2, { toolUse: { input: '{"x":' } }),
    tool(3, 'b'),
    delta(3, { toolUse: { input: '{}' } }),
    delta(2, { toolUse: { input: '1}' } }),
    stop(2),
    stop(3),
    end('tool_use'),
    usage,
  ]);
  const result = collect(events);
  assert.deepEqual(result.blocks, [
    { type: 'reasoning', text: 'Hm', signature: 'sig', issuer: 'bedrock' },
    { type: 'text', text: 'Two calls.' },
    { type: 'tool-call', id: 'a', name: 'weather', input: { json: '{"x":1}' } },
    { type: 'tool-call', id: 'b', name: 'weather', input: { json: '{}' } },
  ]);
  assert.deepEqual(result.finish, { reason: 'tool-calls', raw: 'tool_use' });
  assert.equal(result.model, 'model-1');
});

test('[D-1] usage excludes the cache from the input and separates cache writes by time to live', () => {
  const { usage: given } = collect(decode([begin, delta(0, { text: 'x' }), stop(0), end(), usage]));
  assert.deepEqual(
    [
      given?.inputUncached,
      given?.inputCacheRead,
      given?.inputCacheWrite5m,
      given?.inputCacheWrite1h,
      given?.outputText,
    ],
    [7, 100, 20, 10, 5],
  );
});

test('an answer starts with its message, or with its first text if that is all there is', () => {
  assert.equal(open().createStreamDecoder().push({ event: 'messageStart', data: '{}' }).length, 1);
  assert.deepEqual(collect(decode([delta(0, { text: 'x' }), end()])).blocks, [{ type: 'text', text: 'x' }]);
});

test('[D-17] a call without arguments has none, not an empty text', () => {
  const events = decode([
    begin,
    tool(0, 'a'),
    delta(0, { toolUse: { input: '' } }),
    stop(0),
    end('tool_use'),
    usage,
  ]);
  assert.deepEqual(collect(events).blocks[0], {
    type: 'tool-call',
    id: 'a',
    name: 'weather',
    input: { json: '{}' },
  });
});

test('redacted reasoning, empty deltas and unknown events leave no empty blocks behind', () => {
  const events = decode([
    begin,
    ['contentBlockStart', { contentBlockIndex: 0, start: {} }],
    delta(0, { text: '' }),
    delta(0, { reasoningContent: { redactedContent: 'cm' } }),
    delta(0, {}),
    delta(0, { reasoningContent: { redactedContent: 'Vk' } }),
    stop(0),
    ['somethingNew', { x: 1 }],
    delta(1, { text: 'Hi' }),
    stop(1),
    end(),
    usage,
  ]);
  assert.deepEqual(collect(events).blocks, [
    { type: 'reasoning', text: '', redacted: 'cmVk', issuer: 'bedrock' },
    { type: 'text', text: 'Hi' },
  ]);
});

test('a call is reported with its announcement, and what follows the end of a block is ignored', () => {
  const decoder = open().createStreamDecoder();
  const types = [
    tool(0, 'a'),
    tool(1, 'b'),
    stop(1),
    stop(1),
    delta(1, { toolUse: { input: '{' } }),
    stop(0),
  ].map(([event, body]) => decoder.push({ event, data: JSON.stringify(body) }).map(({ type }) => type));
  assert.deepEqual(types, [
    ['generation-start', 'block-start'],
    [],
    [],
    [],
    [],
    ['block-end', 'block-start', 'block-end'],
  ]);
});

test('the sources of a text are annotations, those without a text are dropped', () => {
  const cite = (title: string): Step => delta(0, { citation: { title } });
  const steps = [begin, cite('none'), delta(0, { text: 'So.' }), cite('T'), stop(0), cite('late'), end()];
  assert.deepEqual(collect(decode(steps)).blocks, [
    { type: 'text', text: 'So.', annotations: [{ format: 'converse', value: { title: 'T' } }] },
  ]);
});

test('usage before the end counts, and an end without usage, or with counts that cannot be, is an end', () => {
  const early = collect(decode([begin, delta(0, { text: 'x' }), usage, end()]));
  assert.deepEqual([early.usage?.outputText, early.finish.reason], [5, 'stop']);
  const without = collect(decode([begin, delta(0, { text: 'x' }), end()]));
  assert.equal(without.usage, undefined);
  const absurd: Step = ['metadata', { usage: { inputTokens: 7, outputTokens: -5 } }];
  assert.equal(collect(decode([begin, delta(0, { text: 'x' }), end(), absurd])).usage, undefined);
  assert.equal(without.finish.reason, 'stop');
});

test('[D-58] a stream that stops before its end is broken', () => {
  const last = decode([begin, delta(0, { text: 'x' })]).at(-1);
  assert.equal(last?.type === 'generation-error' && last.failure.kind, 'broken');
});

test('[D-59] an exception in the stream ends it with the exception’s kind of failure', () => {
  const kinds = {
    throttlingException: 'rate-limited',
    serviceUnavailableException: 'overloaded',
    modelTimeoutException: 'timed-out',
    modelStreamErrorException: 'broken',
    internalServerException: 'broken',
    validationException: 'request-refused',
  };
  for (const [event, kind] of Object.entries(kinds)) {
    const events = decode([
      begin,
      delta(0, { text: 'x' }),
      [event, { message: 'no' }],
      delta(0, { text: 'y' }),
      end(),
    ]);
    const last = events.at(-1);
    assert.equal(last?.type === 'generation-error' && last.failure.kind, kind, event);
    assert.equal(last?.type === 'generation-error' && last.failure.message, 'no', event);
  }
});

test('every stop reason has its meaning, and a model that broke its format gave no answer', () => {
  const reasons = {
    end_turn: 'stop',
    max_tokens: 'length',
    stop_sequence: 'stop-sequence',
    guardrail_intervened: 'content-filter',
    content_filtered: 'content-filter',
    model_context_window_exceeded: 'context-window',
    something_new: 'unknown',
  };
  for (const [reason, meant] of Object.entries(reasons))
    assert.equal(collect(decode([begin, delta(0, { text: 'x' }), end(reason), usage])).finish.reason, meant);
  for (const reason of ['malformed_model_output', 'malformed_tool_use'])
    assert.equal(
      decode([begin, delta(0, { text: 'x' }), end(reason), usage]).at(-1)?.type,
      'generation-error',
    );
});

test('garbage is a failure, never an exception', () => {
  for (const data of ['', 'x', '[]', '{', 'null']) {
    const decoder = open().createStreamDecoder();
    const [event] = decoder.push({ event: 'contentBlockDelta', data });
    assert.equal(event?.type === 'generation-error' && event.failure.kind, 'garbled', data);
    assert.deepEqual(decoder.close(), []);
  }
  const odd: Step[] = [
    ['contentBlockDelta', { contentBlockIndex: 'x', delta: 5 }],
    ['contentBlockStart', { start: { toolUse: 'x' } }],
    ['contentBlockStop', {}],
    ['messageStop', { stopReason: 5 }],
    ['metadata', { usage: { inputTokens: -1, outputTokens: 'x' } }],
  ];
  assert.equal(collect(decode(odd)).finish.reason, 'unknown');
});

test('[D-22] a shortened tool name is restored, streaming or not', () => {
  const name = `mcp__${'server'.repeat(12)}__tool`;
  const exchange = open({ tools: [{ type: 'function', name }] });
  const { tools } = exchange.body['toolConfig'] as { tools: [{ toolSpec: { name: string } }] };
  const sent = tools[0].toolSpec.name;
  assert.equal(sent.length, 64);
  const streamed = collect(decode([begin, tool(0, 'a', sent), stop(0), end('tool_use'), usage], exchange));
  assert.equal(streamed.blocks[0]?.type === 'tool-call' && streamed.blocks[0].name, name);
});

test('a JSON answer equals the collected stream', () => {
  const body = {
    output: {
      message: {
        role: 'assistant',
        content: [
          { reasoningContent: { reasoningText: { text: 'Hm', signature: 'sig' } } },
          { reasoningContent: { reasoningText: { text: 'So' } } },
          { reasoningContent: { reasoningText: { text: '', signature: 'alone' } } },
          { reasoningContent: { reasoningText: { text: '' } } },
          { reasoningContent: { redactedContent: 'cmVk' } },
          { text: 'Hi' },
          { text: '' },
          { citationsContent: { content: [{ text: 'So.' }], citations: [{ title: 'T' }] } },
          { citationsContent: { content: [{ text: 'No source.' }] } },
          { toolUse: { toolUseId: 'a', name: 'weather', input: { x: 1 } } },
          { toolUse: { toolUseId: 'b', name: 'weather' } },
          { unknown: {} },
        ],
      },
    },
    stopReason: 'stop_sequence',
    additionalModelResponseFields: { stop_sequence: 'END' },
    usage: { inputTokens: 1, outputTokens: 2 },
  };
  const result = open().decodeResult(body);
  assert.ok('blocks' in result);
  assert.deepEqual(result.blocks, [
    { type: 'reasoning', text: 'Hm', signature: 'sig', issuer: 'bedrock' },
    { type: 'reasoning', text: 'So', issuer: 'bedrock' },
    { type: 'reasoning', text: '', signature: 'alone', issuer: 'bedrock' },
    { type: 'reasoning', text: '', redacted: 'cmVk', issuer: 'bedrock' },
    { type: 'text', text: 'Hi' },
    { type: 'text', text: 'So.', annotations: [{ format: 'converse', value: { title: 'T' } }] },
    { type: 'text', text: 'No source.' },
    { type: 'tool-call', id: 'a', name: 'weather', input: { json: '{"x":1}' } },
    { type: 'tool-call', id: 'b', name: 'weather', input: { json: '{}' } },
  ]);
  assert.deepEqual(result.finish, { reason: 'stop-sequence', raw: 'stop_sequence', stopSequence: 'END' });
});

test('a body that is no answer is a failure', () => {
  const kindOf = (body: JsonObject) => {
    const result = open().decodeResult(body);
    return 'kind' in result ? result.kind : undefined;
  };
  assert.equal(kindOf({}), 'garbled');
  assert.equal(kindOf({ output: {} }), 'garbled');
  assert.notEqual(kindOf({ message: 'slow' }), 'garbled');
  assert.notEqual(kindOf({ __type: 'ThrottlingException' }), 'garbled');
  const long = open().decodeResult({ output: 'x'.repeat(3_000) });
  assert.equal('detail' in long && long.detail, `{"output":"${'x'.repeat(2048 - 11)}`);
  assert.equal(
    kindOf({ __type: 'com.amazon.coral.service#ThrottlingException', message: 'slow' }),
    'rate-limited',
  );
  assert.equal(kindOf({ output: { message: { content: [] } }, stopReason: 'malformed_tool_use' }), 'broken');
});
