import assert from 'node:assert/strict';
import { test } from 'node:test';
import { Check } from 'typebox/value';
import type { JsonObject } from '#base';
import { type Block, type GenerationResult, createUsage } from '#canonical';
import { GatewayError } from '#errors';
import { createMessagesContext, readMessage } from '../../../../test/support/messages-exchange.ts';
import { messagesErrorSchema, messagesResponseSchema } from './answer-schema.ts';
import { messagesInbound } from '../index.ts';

const RESULT: GenerationResult = { id: 'chatcmpl-1', model: 'up', blocks: [], finish: { reason: 'stop' } };

function encode(members: Partial<GenerationResult>): JsonObject {
  const body = messagesInbound.encodeResult({ ...RESULT, ...members }, createMessagesContext());
  assert.ok(Check(messagesResponseSchema, body), JSON.stringify(body));
  return body;
}

const call = (json: string): Block => ({ type: 'tool-call', id: 'a:1', name: 'f', input: { json } });

test('an answer has the gateway’s id, unless its id is already a message id, and the requested model', () => {
  assert.equal(encode({})['id'], 'msg_answer');
  assert.equal(encode({ id: 'msg_up' })['id'], 'msg_up');
  assert.equal(encode({})['model'], 'claude-x');
});

test('[D-29] empty text is no block, and an empty answer stays empty', () => {
  assert.deepEqual(encode({ blocks: [{ type: 'text', text: '' }] })['content'], []);
});

test('[D-18] arguments are always an object, never a string', () => {
  const inputs = ['{"a":1}', '', '{"a":', '"text"', '[1]', 'null'].map((json) => {
    const [block] = encode({ blocks: [call(json)] })['content'] as JsonObject[];
    return block?.['input'];
  });
  assert.deepEqual(inputs, [{ a: 1 }, {}, {}, {}, {}, {}]);
});

test('[D-26] the arguments of a call cut at the limit are not repaired, and the stop reason is max_tokens', () => {
  assert.equal(
    encode({ blocks: [call('{"a":')], finish: { reason: 'length' } })['stop_reason'],
    'max_tokens',
  );
});

const STOPS: [finish: GenerationResult['finish'], expected: string][] = [
  [{ reason: 'stop' }, 'end_turn'],
  [{ reason: 'length' }, 'max_tokens'],
  [{ reason: 'context-window' }, 'model_context_window_exceeded'],
  [{ reason: 'content-filter' }, 'refusal'],
  [{ reason: 'pause' }, 'pause_turn'],
  [{ reason: 'tool-calls' }, 'end_turn'],
  [{ reason: 'stop-sequence', stopSequence: 'X' }, 'stop_sequence'],
  [{ reason: 'unknown' }, 'end_turn'],
];
for (const [finish, expected] of STOPS) {
  test(`${JSON.stringify(finish)} is encoded as ${expected}`, () =>
    assert.equal(encode({ finish })['stop_reason'], expected));
}

test('[D-24] a stop sequence that ended in a tool call is reported as tool_use', () => {
  const body = encode({ blocks: [call('{}')], finish: { reason: 'stop-sequence', stopSequence: 'X' } });
  assert.deepEqual([body['stop_reason'], body['stop_sequence']], ['tool_use', null]);
});

test('an answer stops for a call that the client runs, not for one that code of the provider made', () => {
  const stopFor = (caller: JsonObject) =>
    encode({ blocks: [{ ...call('{}'), extra: { messages: { caller } } }] })['stop_reason'];
  assert.equal(encode({ blocks: [call('{}')] })['stop_reason'], 'tool_use');
  for (const caller of [{}, { type: 'direct' }]) assert.equal(stopFor(caller), 'tool_use');
  assert.equal(stopFor({ type: 'code_execution_20250825' }), 'end_turn');
});

test('a refusal is a text and a stop reason', () => {
  const body = encode({
    blocks: [{ type: 'text', text: 'No.', refusal: true }],
    finish: { reason: 'content-filter' },
  });
  assert.deepEqual(body['content'], [{ type: 'text', text: 'No.' }]);
  assert.equal(body['stop_reason'], 'refusal');
});

test('[D-1] the input counts are disjoint, and the estimate is used if nothing was reported', () => {
  const usage = createUsage({
    inputUncached: 10,
    inputCacheRead: 90,
    inputAudio: 2,
    outputText: 5,
    webSearches: 1,
  });
  assert.deepEqual(encode({ usage })['usage'], {
    input_tokens: 12,
    cache_creation_input_tokens: 0,
    cache_read_input_tokens: 90,
    cache_creation: { ephemeral_5m_input_tokens: 0, ephemeral_1h_input_tokens: 0 },
    output_tokens: 5,
    server_tool_use: { web_search_requests: 1 },
  });
  assert.equal((encode({})['usage'] as JsonObject)['input_tokens'], 42);
  const cached = encode({ usage: createUsage({ inputCacheRead: 90 }) });
  assert.equal((cached['usage'] as JsonObject)['input_tokens'], 0);
});

test('a Message passes through and loses nothing', () => {
  const message = {
    id: 'msg_up',
    type: 'message',
    role: 'assistant',
    model: 'claude-x',
    content: [
      { type: 'thinking', thinking: '', signature: 'sig' },
      { type: 'redacted_thinking', data: 'enc' },
      { type: 'text', text: 'Found', citations: [{ type: 'char_location', cited_text: 'x' }] },
      { type: 'text', text: 'it', citations: null },
      {
        type: 'server_tool_use',
        id: 'srvtoolu_1',
        name: 'tool_search_tool_regex',
        input: { query: 'x' },
        caller: { type: 'direct' },
      },
      {
        type: 'tool_search_tool_result',
        tool_use_id: 'srvtoolu_1',
        content: { type: 'tool_search_tool_search_result', tool_references: [] },
      },
      {
        type: 'tool_use',
        id: 'toolu_1',
        name: 'look',
        input: { at: 1 },
        caller: { type: 'direct' },
        toolset_name: 'x',
      },
      { type: 'fallback', to: 'claude-y' },
    ],
    stop_reason: 'tool_use',
    stop_sequence: null,
    stop_details: null,
    container: { id: 'c1' },
    context_management: { applied_edits: [] },
    diagnostics: null,
    usage: {
      input_tokens: 10,
      cache_creation_input_tokens: 7,
      cache_read_input_tokens: 3,
      cache_creation: { ephemeral_5m_input_tokens: 5, ephemeral_1h_input_tokens: 2 },
      output_tokens: 20,
      output_tokens_details: { thinking_tokens: 8 },
      server_tool_use: { web_search_requests: 2, web_fetch_requests: 1 },
      service_tier: 'standard',
      inference_geo: 'eu',
      speed: 'fast',
      iterations: [
        { type: 'message', input_tokens: 10, output_tokens: 20 },
        { type: 'compaction', input_tokens: 500, output_tokens: 50 },
      ],
    },
  };
  const result = readMessage(message);
  assert.equal(result.usage?.inputUncached, 510);
  assert.equal(result.usage.webSearches, 2);
  assert.deepEqual(messagesInbound.encodeResult(result, createMessagesContext()), message);
});

test('an error has the shape of the Messages API and our request id', () => {
  const body = messagesInbound.encodeError(new GatewayError('model_not_found', 'no such model'), 'req_1');
  assert.ok(Check(messagesErrorSchema, body));
  assert.deepEqual(body, {
    type: 'error',
    error: { type: 'not_found_error', message: 'no such model' },
    request_id: 'req_1',
  });
});

test("[D-56] an upstream's refusal keeps its message, type and code", () => {
  const facts = { status: 409, upstreamType: 'conflict_error', upstreamCode: 'tool_name_conflict' };
  const body = messagesInbound.encodeError(
    new GatewayError('request_refused', 'prompt is too long: 5 tokens > 4 maximum', facts),
    'r',
  );
  assert.deepEqual(body['error'], {
    type: 'conflict_error',
    message: 'prompt is too long: 5 tokens > 4 maximum',
    details: { error_code: 'tool_name_conflict' },
  });
});

test('[D-62] a refusal typed by another API is named after its status', () => {
  const typed = (status: number) => {
    const error = new GatewayError('request_refused', 'x', { status, upstreamType: 'server_error' });
    return (messagesInbound.encodeError(error, 'r')['error'] as JsonObject)['type'];
  };
  const names = {
    400: 'invalid_request_error',
    401: 'authentication_error',
    402: 'billing_error',
    403: 'permission_error',
    404: 'not_found_error',
    409: 'conflict_error',
    413: 'request_too_large',
    422: 'invalid_request_error',
    429: 'rate_limit_error',
    504: 'timeout_error',
    529: 'overloaded_error',
  };
  for (const [status, name] of Object.entries(names)) assert.equal(typed(Number(status)), name, status);
});
