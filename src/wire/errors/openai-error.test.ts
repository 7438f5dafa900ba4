import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import type { JsonValue } from '#base';
import { NO_RECORDINGS, hasRecordings, readRecording } from '../../../test/support/recordings.ts';
import { decodeFailure, findFailure } from './openai-error.ts';

function fail(status: number, body: JsonValue, headers: Record<string, string> = {}) {
  return decodeFailure({ status, headers, body: typeof body === 'string' ? body : JSON.stringify(body) });
}

test('the status decides the kind', () => {
  const kinds: [number, string][] = [
    [400, 'request-refused'],
    [401, 'credential-refused'],
    [402, 'out-of-quota'],
    [403, 'credential-refused'],
    [404, 'request-refused'],
    [407, 'broken'],
    [408, 'timed-out'],
    [413, 'request-refused'],
    [421, 'broken'],
    [422, 'request-refused'],
    [425, 'broken'],
    [426, 'broken'],
    [429, 'rate-limited'],
    [500, 'broken'],
    [502, 'broken'],
    [503, 'overloaded'],
    [504, 'timed-out'],
    [529, 'overloaded'],
    [302, 'broken'],
  ];
  for (const [status, kind] of kinds)
    assert.equal(fail(status, { error: { message: 'x' } }).kind, kind, String(status));
});

test('[D-56] [D-62] a refused request keeps status, type, code, param and message', () => {
  const message = "This model's maximum context length is 128000 tokens.";
  const failure = fail(400, {
    error: { message, type: 'invalid_request_error', param: 'messages', code: 'context_length_exceeded' },
  });
  assert.equal(failure.message, message);
  assert.deepEqual(
    [failure.status, failure.type, failure.param, failure.code],
    [400, 'invalid_request_error', 'messages', 'context_length_exceeded'],
  );
});

test('every variant of an error body gives its message', () => {
  const bodies: JsonValue[] = [
    { error: { message: 'reason' } },
    { error: 'reason' },
    { message: 'reason' },
    { detail: 'reason' },
    { detail: { error: { message: 'reason' } } },
    { detail: [{ msg: 'reason' }] },
    { errors: [{ message: 'reason' }] },
    { errors: ['reason'] },
    [{ error: { code: 400, message: 'reason', status: 'INVALID_ARGUMENT' } }],
    '"reason"',
  ];
  for (const body of bodies) assert.equal(fail(400, body).message, 'reason', JSON.stringify(body));
});

test('a validation list names the field', () => {
  const failure = fail(422, { detail: [{ loc: ['body', 'messages', 0, 'role'], msg: 'field required' }] });
  assert.equal(failure.message, 'messages[0].role: field required');
  assert.equal(failure.param, 'messages[0].role');
});

test('a body that is not JSON stays with the operator', () => {
  const failure = fail(502, '<html><h1>Bad gateway</h1></html>');
  assert.equal(failure.message, 'the provider answered with status 502');
  assert.match(failure.detail ?? '', /Bad gateway/);
  assert.equal(fail(400, 'x'.repeat(10_000)).detail?.length, 2048);
  assert.equal(fail(400, { error: { message: 'x'.repeat(10_000) } }).message.length, 4096);
});

test('refused content is distinguished from a refused request', () => {
  const azure = { error: { message: 'filtered', code: 'content_filter', status: 400 } };
  assert.equal(fail(400, azure).kind, 'content-refused');
  assert.equal(
    fail(400, { error: { message: 'no', code: 'data_inspection_failed' } }).kind,
    'content-refused',
  );
});

test('messages about the gateway’s credential do not reach the client, and secrets reach no one', () => {
  const failure = fail(401, { error: { message: 'Incorrect API key provided: sk-proj-abcdef1234567890.' } });
  assert.equal(failure.message, 'the provider refused the credential of this gateway');
  assert.doesNotMatch(failure.detail ?? '', /abcdef1234567890/);
  const leaked = fail(400, { error: { message: 'bad header Bearer abcdef1234567890' } });
  assert.doesNotMatch(leaked.message, /abcdef1234567890/);
  assert.equal(
    fail(400, { error: { message: 'API key not valid', code: 'invalid_api_key' } }).kind,
    'credential-refused',
  );
});

test('an empty account is reported as such, and its message only to the operator', () => {
  const message = 'You exceeded your current quota, please check your plan and billing details.';
  for (const error of [
    { message, type: 'insufficient_quota', code: 'insufficient_quota' },
    { message, type: 'exceeded_current_quota_error' },
    { message, type: 'Arrearage', code: 'Arrearage' },
  ])
    for (const status of [429, 400]) {
      const failure = fail(status, { error });
      assert.equal(failure.kind, 'out-of-quota', error.type);
      assert.equal(failure.message, 'the account of this gateway at the provider is out of quota');
      assert.match(failure.detail ?? '', /current quota/, 'the operator does');
    }
  assert.equal(fail(429, { error: { message, type: 'rate_limit_error' } }).kind, 'rate-limited');
});

test('the wait is read from the header, else from the body of Google', () => {
  assert.equal(fail(429, { error: { message: 'x' } }, { 'retry-after': '7' }).retryAfterSeconds, 7);
  const details = [{ '@type': 'type.googleapis.com/google.rpc.RetryInfo', retryDelay: '34.4s' }];
  assert.equal(fail(429, [{ error: { code: 429, message: 'x', details } }]).retryAfterSeconds, 35);
  assert.equal(fail(429, { error: { message: 'x' } }).retryAfterSeconds, undefined);
});

test('an error with a success status is classified by its body', () => {
  const kinds: [JsonValue, string][] = [
    [{ error: { message: 'x', code: 429 } }, 'rate-limited'],
    [{ error: { message: 'x', code: 'insufficient_quota' } }, 'out-of-quota'],
    [{ error: { message: 'x', code: 'quota_exceeded' } }, 'rate-limited'],
    [{ error: { message: 'x', type: 'overloaded_error' } }, 'overloaded'],
    [{ error: { message: 'x', type: 'invalid_request_error' } }, 'request-refused'],
    [{ error: { message: 'x', type: 'timeout_error' } }, 'timed-out'],
    [{ error: { message: 'x', type: 'server_error' } }, 'broken'],
    [{ error: 'x' }, 'broken'],
  ];
  for (const [body, kind] of kinds) assert.equal(findFailure(body)?.kind, kind, JSON.stringify(body));
  for (const [code, status] of [
    [399, undefined],
    [400, 400],
    ['599', 599],
    [600, undefined],
    [429.5, undefined],
  ] as const)
    assert.equal(findFailure({ error: { message: 'x', code } })?.status, status, String(code));
  assert.equal(findFailure({ choices: [], error: null }), undefined);
  assert.equal(findFailure({ id: 'x' }), undefined);
});

test(
  'the recorded refusal of a parameter is passed on',
  { skip: hasRecordings ? false : NO_RECORDINGS },
  () => {
    const { text } = readRecording('openai-chat/reasoning-model-legacy-parameter-error.json');
    const failure = fail(400, text);
    assert.match(failure.message, /Use 'max_completion_tokens' instead\.$/);
    assert.equal(failure.param, 'max_tokens');
    assert.equal(failure.code, 'unsupported_parameter');
  },
);

test('no body or status makes it throw', () => {
  fc.assert(
    fc.property(fc.oneof(fc.string(), fc.json()), fc.integer({ min: 100, max: 599 }), (body, status) => {
      const failure = decodeFailure({ status, headers: {}, body });
      assert.notEqual(failure.message, '');
      assert.ok((failure.detail ?? '').length <= 2048);
    }),
  );
});

test('an answer is recognized as an error by any of its signs, a choice without `error` is none', () => {
  const errors: JsonValue[] = [
    { error: { message: 'no' } },
    { errors: ['no'] },
    { object: 'error' },
    { type: 'error' },
    { message: 'no' },
    { detail: 'no' },
    [{ object: 'error' }],
    { choices: [], error: 'no' },
  ];
  const answers: JsonValue[] = [
    {},
    { error: null },
    { errors: [] },
    { object: 'chat.completion' },
    { detail: null },
    { choices: [], message: 'hi', errors: ['x'] },
    [],
  ];
  const isError = (body: JsonValue): boolean => findFailure(body) !== undefined;
  assert.deepEqual(
    errors.filter((body) => !isError(body)),
    [],
  );
  assert.deepEqual(answers.filter(isError), []);
});

test('errors are read wherever a provider puts them', () => {
  const messageOf = (body: JsonValue) => fail(400, body).message;
  const raw = { error: { message: 'Provider error', metadata: { raw: 'the real reason' } } };
  assert.equal(messageOf(raw), 'Provider error: the real reason');
  assert.equal(messageOf({ error: { message: 'x', metadata: { raw: 5 } } }), 'x');
  assert.equal(messageOf([null, [], { error: { message: 'in a list' } }]), 'in a list');
  assert.equal(messageOf({ message: 'at the top', detail: 'below' }), 'at the top');
  assert.equal(messageOf({ detail: ['as a text'] }), 'as a text');
  assert.equal(messageOf({ error: { message: '', type: '' } }), 'the provider answered with status 400');
  assert.equal(
    fail(400, { error: { message: 'x', status: 'RESOURCE_EXHAUSTED' } }).type,
    'RESOURCE_EXHAUSTED',
  );
  assert.equal(fail(400, { error: { message: 'x', status: '' } }).type, undefined);
});

test('a wait in the body is at least a second and at most an hour', () => {
  const waitOf = (retryDelay: unknown) =>
    fail(429, { error: { message: 'x', details: [{ retryDelay }] } as JsonValue }).retryAfterSeconds;
  assert.deepEqual(['0s', '0.2s', '3600s', '3601s', 'soon', 5].map(waitOf), [
    1,
    1,
    3600,
    3600,
    undefined,
    undefined,
  ]);
});

test('a status of success says nothing about an error, that of a redirect does', () => {
  const statusOf = (status: number) => fail(status, { error: { message: 'x', code: 429 } }).status;
  assert.deepEqual([200, 299, 300, 500].map(statusOf), [429, 429, 300, 500]);
  assert.equal(
    findFailure({ error: { message: 'x', type: 'authentication_error' } })?.kind,
    'credential-refused',
  );
});
