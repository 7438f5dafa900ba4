import assert from 'node:assert/strict';
import { test } from 'node:test';
import { type JsonObject, isJsonObject, parseJsonObject } from '#base';
import { type Block, type GenerationEvent, type GenerationResult, createUsage, toEvents } from '#canonical';
import type { FailureKind } from '#errors';
import {
  createMessagesContext,
  encodeStream,
  writePayloads,
} from '../../../../test/support/messages-exchange.ts';
import { messagesInbound } from '../index.ts';

const start: GenerationEvent = { type: 'generation-start', id: 'chatcmpl-1', model: 'up' };
const usage = createUsage({ inputUncached: 12, outputText: 3 });

function answer(blocks: Block[], rest: Partial<GenerationResult> = {}): GenerationEvent[] {
  return toEvents({ id: 'chatcmpl-1', model: 'up', blocks, finish: { reason: 'stop' }, usage, ...rest });
}

function typesOf(payloads: JsonObject[]): unknown[] {
  return payloads.map((payload) => payload['type']);
}

function endOf(payloads: JsonObject[]): JsonObject {
  const end = payloads.find((payload) => payload['type'] === 'message_delta');
  assert.ok(end && isJsonObject(end['delta']));
  return end['delta'];
}

const call = (id: string, name = 'f', json = '{"a":1}'): Block => ({
  type: 'tool-call',
  id,
  name,
  input: { json },
});

test('[D-67] every frame has an event line that repeats its type, and a ping follows message_start', () => {
  const messages = encodeStream(answer([{ type: 'text', text: 'Hi' }]));
  for (const { event, data } of messages) assert.equal(parseJsonObject(data)?.['type'], event);
  assert.deepEqual(
    messages.map(({ event }) => event),
    [
      'message_start',
      'ping',
      'content_block_start',
      'content_block_delta',
      'content_block_stop',
      'message_delta',
      'message_stop',
    ],
  );
  const encoder = messagesInbound.createStreamEncoder(createMessagesContext());
  assert.equal(encoder.ping(), 'event: ping\ndata: {"type":"ping"}\n\n');
});

test('[D-4] message_start has an estimate if the upstream has not reported its usage', () => {
  const [first] = writePayloads([start]);
  const message = first?.['message'] as JsonObject;
  assert.equal(message['id'], 'msg_answer');
  assert.equal(message['model'], 'claude-x');
  assert.equal(message['stop_reason'], null);
  assert.deepEqual(message['usage'], {
    input_tokens: 42,
    cache_creation_input_tokens: 0,
    cache_read_input_tokens: 0,
    cache_creation: { ephemeral_5m_input_tokens: 0, ephemeral_1h_input_tokens: 0 },
    output_tokens: 1,
  });
});

test('[D-5] both usage objects are full', () => {
  const given = createUsage({
    inputUncached: 5,
    inputCacheRead: 7,
    inputCacheWrite5m: 1,
    inputCacheWrite1h: 2,
    outputText: 3,
    outputReasoning: 4,
  });
  const payloads = writePayloads([
    { ...start, usage: given },
    { type: 'generation-end', finish: { reason: 'stop' }, usage: given },
  ]);
  const expected = {
    input_tokens: 5,
    cache_creation_input_tokens: 3,
    cache_read_input_tokens: 7,
    cache_creation: { ephemeral_5m_input_tokens: 1, ephemeral_1h_input_tokens: 2 },
    output_tokens: 7,
    output_tokens_details: { thinking_tokens: 4 },
  };
  assert.deepEqual((payloads[0]?.['message'] as JsonObject)['usage'], expected);
  assert.deepEqual(payloads[1]?.['usage'], expected);
});

test('[D-43] unsigned reasoning is a thinking block with an empty signature', () => {
  const payloads = writePayloads(answer([{ type: 'reasoning', text: 'Hm' }]));
  assert.deepEqual(payloads[1]?.['content_block'], { type: 'thinking', thinking: '', signature: '' });
  assert.deepEqual(payloads[2]?.['delta'], { type: 'thinking_delta', thinking: 'Hm' });
  assert.equal(payloads[3]?.['type'], 'content_block_stop');
});

test('[D-41] a signature is sent right before the stop of its block, and foreign ones are sealed', () => {
  const own = writePayloads(answer([{ type: 'reasoning', text: 'Hm', signature: 's', issuer: 'anthropic' }]));
  assert.deepEqual(own[3]?.['delta'], { type: 'signature_delta', signature: 's' });
  assert.equal(own[4]?.['type'], 'content_block_stop');
  const foreign = writePayloads(answer([{ type: 'reasoning', text: 'Hm', signature: 's', issuer: 'chat' }]));
  assert.deepEqual(foreign[3]?.['delta'], { type: 'signature_delta', signature: 'sluice.chat.s' });
});

test('[D-13] parallel calls are separate blocks with consecutive indices, also if blocks are dropped', () => {
  const payloads = writePayloads(
    answer([
      { type: 'text', text: '' },
      { type: 'native', format: 'chat', value: { type: 'x' } },
      call('call_1'),
      { type: 'media', kind: 'audio', source: { url: 'https://x.test' } },
      call('call_2'),
      { type: 'text', text: 'after' },
    ]),
  );
  const starts = payloads.filter((payload) => payload['type'] === 'content_block_start');
  assert.deepEqual(
    starts.map((payload) => [payload['index'], (payload['content_block'] as JsonObject)['type']]),
    [
      [0, 'tool_use'],
      [1, 'tool_use'],
      [2, 'text'],
    ],
  );
});

test('[D-19] tool ids fit the alphabet, differ, are never empty, and are the same every time', () => {
  const blocks = [
    call('functions.Bash:0'),
    call('functions.Bash.0'),
    call('functions.Bash:0'),
    call(''),
    call('toolu_ok-1'),
  ];
  const idsOf = () =>
    writePayloads(answer(blocks))
      .filter((payload) => payload['type'] === 'content_block_start')
      .map((payload) => (payload['content_block'] as JsonObject)['id']);
  const ids = idsOf();
  assert.equal(new Set(ids).size, 5);
  for (const id of ids) assert.ok(typeof id === 'string' && /^[a-zA-Z0-9_-]+$/.test(id));
  assert.equal(ids[4], 'toolu_ok-1');
  assert.deepEqual(idsOf(), ids);
});

test('[D-12] arguments stream as they arrive, and no arguments are an empty object', () => {
  const inputs = (json: string) =>
    writePayloads(answer([call('a', 'f', json)]))
      .filter((payload) => payload['type'] === 'content_block_delta')
      .map((payload) => (payload['delta'] as JsonObject)['partial_json']);
  assert.deepEqual(inputs('{"a":1}'), ['{"a":1}']);
  assert.deepEqual(inputs(''), ['{}']);
});

test('[D-24] an answer with a tool call has stop reason tool_use, whatever the provider reports', () => {
  assert.equal(endOf(writePayloads(answer([call('a')])))['stop_reason'], 'tool_use');
  assert.equal(
    endOf(writePayloads(answer([call('a')], { finish: { reason: 'unknown' } })))['stop_reason'],
    'tool_use',
  );
});

test('[D-26] arguments cut at the limit keep max_tokens, and what arrived is not repaired', () => {
  const payloads = writePayloads(answer([call('a', 'f', '{"path":"/et')], { finish: { reason: 'length' } }));
  assert.equal(endOf(payloads)['stop_reason'], 'max_tokens');
  assert.deepEqual(payloads[2]?.['delta'], { type: 'input_json_delta', partial_json: '{"path":"/et' });
});

test('[D-25] stop_sequence is sent only if the provider reports which', () => {
  const matched = endOf(
    writePayloads(answer([], { finish: { reason: 'stop-sequence', stopSequence: 'END' } })),
  );
  assert.deepEqual([matched['stop_reason'], matched['stop_sequence']], ['stop_sequence', 'END']);
  const vague = endOf(writePayloads(answer([], { finish: { reason: 'stop-sequence' } })));
  assert.deepEqual([vague['stop_reason'], vague['stop_sequence']], ['end_turn', null]);
});

test('[D-58] an error is one error event, and nothing follows it', () => {
  const types: [kind: FailureKind, type: string][] = [
    ['overloaded', 'overloaded_error'],
    ['rate-limited', 'rate_limit_error'],
    ['timed-out', 'timeout_error'],
    ['broken', 'api_error'],
    ['garbled', 'api_error'],
    ['request-refused', 'invalid_request_error'],
  ];
  for (const [kind, type] of types) {
    const payloads = writePayloads([
      start,
      { type: 'block-start', index: 0, block: { type: 'text', text: '' } },
      { type: 'block-delta', index: 0, text: 'a' },
      { type: 'generation-error', failure: { kind, message: 'Sorry' } },
      { type: 'generation-end', finish: { reason: 'stop' } },
    ]);
    assert.deepEqual(typesOf(payloads), [
      'message_start',
      'content_block_start',
      'content_block_delta',
      'error',
    ]);
    assert.deepEqual(payloads[3], { type: 'error', error: { type, message: 'Sorry' } });
  }
});

test('a server tool call streams its input as Anthropic does', () => {
  const value = { type: 'server_tool_use', id: 'srvtoolu_1', name: 'web_search', input: { query: 'x' } };
  const payloads = writePayloads(answer([{ type: 'native', format: 'messages', value }]));
  assert.deepEqual(payloads[1]?.['content_block'], { ...value, input: {} });
  assert.deepEqual(payloads[2]?.['delta'], { type: 'input_json_delta', partial_json: '{"query":"x"}' });
  assert.deepEqual(value.input, { query: 'x' });
});

test('deltas are exact JSON for every character', () => {
  const text = '"\\\n\u0000\u2028é漢😀\ud800';
  const payloads = writePayloads(answer([{ type: 'text', text }]));
  assert.deepEqual(payloads[2]?.['delta'], { type: 'text_delta', text });
});

test('fields of Messages alone are returned: stop_details, container, an unknown stop reason, the rest of usage', () => {
  const extra = {
    messages: {
      container: { id: 'c' },
      stop_details: null,
      stop_reason: 'compaction',
      context_management: { applied: [] },
      usage: { service_tier: 'priority' },
    },
  };
  const payloads = writePayloads(answer([], { finish: { reason: 'unknown', raw: 'compaction' }, extra }));
  const last = payloads.at(-2);
  assert.deepEqual(last?.['delta'], {
    container: { id: 'c' },
    stop_details: null,
    stop_reason: 'compaction',
    stop_sequence: null,
  });
  assert.deepEqual(last['context_management'], { applied: [] });
  assert.equal((last['usage'] as JsonObject)['service_tier'], 'priority');
});
