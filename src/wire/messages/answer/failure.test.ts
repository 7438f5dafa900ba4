import assert from 'node:assert/strict';
import { test } from 'node:test';
import { parseJsonObject } from '#base';
import type { FailureKind } from '#errors';
import { createMessagesTarget, decodeMessages } from '../../../../test/support/messages-exchange.ts';
import { isFailure } from '../../contract.ts';
import { decodeErrorEvent } from './failure.ts';
import { messagesOutbound } from '../index.ts';

const bodyOf = (type: string, message: string, more: object = {}) =>
  JSON.stringify({ type: 'error', error: { type, message, ...more }, request_id: 'req_up' });

const decode = (status: number, body: string, headers: Record<string, string> = {}) =>
  messagesOutbound.decodeFailure({ status, headers, body });

const KINDS: [status: number, type: string, kind: FailureKind][] = [
  [400, 'invalid_request_error', 'request-refused'],
  [401, 'authentication_error', 'credential-refused'],
  [402, 'billing_error', 'out-of-quota'],
  [403, 'permission_error', 'credential-refused'],
  [404, 'not_found_error', 'request-refused'],
  [407, 'invalid_request_error', 'broken'],
  [408, 'timeout_error', 'timed-out'],
  [409, 'conflict_error', 'request-refused'],
  [413, 'request_too_large', 'request-refused'],
  [421, 'invalid_request_error', 'broken'],
  [422, 'invalid_request_error', 'request-refused'],
  [429, 'rate_limit_error', 'rate-limited'],
  [500, 'api_error', 'broken'],
  [500, 'overloaded_error', 'overloaded'],
  [502, 'api_error', 'broken'],
  [503, 'api_error', 'overloaded'],
  [504, 'timeout_error', 'timed-out'],
  [408, 'api_error', 'timed-out'],
  [429, 'api_error', 'rate-limited'],
  [504, 'api_error', 'timed-out'],
  [529, 'api_error', 'overloaded'],
  [529, 'overloaded_error', 'overloaded'],
];
for (const [status, type, kind] of KINDS) {
  test(`${status} ${type} is ${kind}`, () => {
    const failure = decode(status, bodyOf(type, 'Sorry'));
    assert.equal(failure.kind, kind);
    assert.equal(failure.status, status);
    assert.equal(failure.type, type);
  });
}

test("[D-56] the provider's message is passed on unwrapped, with its code", () => {
  const words = 'messages.1.content.0: Expected `thinking` or `redacted_thinking`, but found `tool_use`';
  const failure = decode(400, bodyOf('invalid_request_error', words, { details: { error_code: 'x_y' } }));
  assert.equal(failure.message, words);
  assert.equal(failure.code, 'x_y');
});

test('messages about the credential are shown only to the operator', () => {
  const failure = decode(401, bodyOf('authentication_error', 'invalid x-api-key sk-ant-123'));
  assert.ok(!failure.message.includes('sk-ant'));
  assert.ok(failure.detail?.includes('sk-ant'));
});

test('an empty account at the provider rests its credential and is not the fault of the caller', () => {
  const words = 'Your credit balance is too low to access the Anthropic API.';
  assert.equal(decode(400, bodyOf('invalid_request_error', words)).kind, 'out-of-quota');
  assert.equal(decode(429, bodyOf('insufficient_quota', 'Top up')).kind, 'out-of-quota');
  const limited = bodyOf('rate_limit_error', 'Top up', { code: 'insufficient_quota' });
  assert.equal(decode(429, limited).kind, 'out-of-quota');
  assert.equal(decodeErrorEvent(parseJsonObject(limited) ?? {}).kind, 'out-of-quota');
});

test('blocked content is distinguished from a refused request', () => {
  const words = 'Output blocked by content filtering policy';
  assert.equal(decode(400, bodyOf('invalid_request_error', words)).kind, 'content-refused');
});

test('[U11] retry-after is read and clamped', () => {
  assert.equal(decode(429, '', { 'retry-after': '12' }).retryAfterSeconds, 12);
  assert.equal(decode(429, '', { 'retry-after': '1e12' }).retryAfterSeconds, 3600);
  assert.ok(!('retryAfterSeconds' in decode(429, '')));
});

test('bodies of any other shape still give a failure', () => {
  assert.equal(decode(400, '{"error":"bad thing"}').message, 'bad thing');
  assert.equal(decode(400, '{"error":"bad thing"}').kind, 'request-refused');
  assert.equal(decode(400, '{"message":"bad thing"}').message, 'bad thing');
  assert.equal(decode(400, '{"detail":"bad thing"}').message, 'bad thing');
  assert.equal(decode(400, '[{"error":{"message":"bad thing","code":7}}]').code, '7');
  const page = decode(502, `<html>${'x'.repeat(9000)}`);
  assert.equal(page.message, 'the provider answered with status 502');
  assert.equal(page.detail?.length, 2048);
  assert.equal(decode(500, '').kind, 'broken');
  assert.equal(decode(400, bodyOf('invalid_request_error', 'x'.repeat(9000))).message.length, 4096);
});

test('[U10] a success with an error inside, or with no Message in it, is a failure', () => {
  const exchange = messagesOutbound.openExchange(decodeMessages(), createMessagesTarget());
  const kindOf = (body: object) => {
    const result = exchange.decodeResult(body as never);
    return isFailure(result) ? result.kind : 'a result';
  };
  assert.equal(kindOf({ type: 'error', error: { type: 'overloaded_error', message: 'x' } }), 'overloaded');
  assert.equal(kindOf({ error: { message: 'x' } }), 'broken');
  assert.equal(kindOf({ type: 'message' }), 'garbled');
  assert.equal(kindOf({ choices: [] }), 'garbled');
  assert.equal(kindOf({ content: [] }), 'a result');
  assert.equal(
    kindOf({ content: [null, 5, {}, { type: 'tool_use', input: 'x' }], usage: 'none' }),
    'a result',
  );
});

test('an error within a stream has the status of its type', () => {
  const statuses = {
    invalid_request_error: 400,
    authentication_error: 401,
    billing_error: 402,
    permission_error: 403,
    not_found_error: 404,
    conflict_error: 409,
    request_too_large: 413,
    overloaded_error: undefined,
  };
  for (const [type, status] of Object.entries(statuses)) {
    const failure = decodeErrorEvent({ type: 'error', error: { type, message: 'no' } });
    assert.equal(failure.status, status, type);
  }
});
