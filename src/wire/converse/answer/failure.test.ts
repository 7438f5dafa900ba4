import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { FailureKind } from '#errors';
import { getOutboundFormat } from '#wire';
import { decodeException } from './failure.ts';

const { decodeFailure } = getOutboundFormat('converse');

const CASES: [status: number, type: string | undefined, message: string, kind: FailureKind][] = [
  [429, 'ThrottlingException', 'Too many tokens, please wait before trying again.', 'rate-limited'],
  [400, 'ServiceQuotaExceededException', 'quota', 'rate-limited'],
  [429, 'ModelNotReadyException', 'The model is not ready.', 'overloaded'],
  [503, 'ServiceUnavailableException', 'Bedrock is unable to process your request.', 'overloaded'],
  [408, 'ModelTimeoutException', 'too long', 'timed-out'],
  [424, 'ModelErrorException', 'the model failed', 'broken'],
  [500, 'InternalServerException', 'oops', 'broken'],
  [
    403,
    'AccessDeniedException:http://internal.amazon.com/coral/',
    "You don't have access",
    'credential-refused',
  ],
  [
    403,
    'UnrecognizedClientException',
    'The security token included in the request is invalid.',
    'credential-refused',
  ],
  [400, 'ValidationException', 'The toolConfig field must be defined', 'request-refused'],
  [400, 'ValidationException', 'The provided model identifier is invalid.', 'broken'],
  [
    400,
    'ValidationException',
    "Invocation of model ID x with on-demand throughput isn't supported.",
    'broken',
  ],
  [404, 'ResourceNotFoundException', 'This model version has reached the end of its life.', 'broken'],
  [401, undefined, 'who?', 'credential-refused'],
  [402, undefined, 'pay first', 'out-of-quota'],
  [403, undefined, 'not you', 'credential-refused'],
  [400, undefined, 'bad request', 'request-refused'],
  [407, undefined, 'proxy', 'broken'],
  [408, undefined, 'too slow', 'timed-out'],
  [418, undefined, 'teapot', 'request-refused'],
  [424, undefined, 'the model failed', 'broken'],
  [429, undefined, 'too fast', 'rate-limited'],
  [500, undefined, 'oops', 'broken'],
  [502, undefined, 'bad gateway', 'broken'],
  [503, undefined, 'too many', 'overloaded'],
  [504, undefined, 'too slow', 'timed-out'],
  [529, undefined, 'too many', 'overloaded'],
];

for (const [status, type, message, kind] of CASES) {
  test(`[D-62] ${status} ${type ?? ''} (${message}) is ${kind}`, () => {
    const headers = type === undefined ? {} : { 'x-amzn-errortype': type };
    const failure = decodeFailure({ status, headers, body: JSON.stringify({ message }) });
    assert.equal(failure.kind, kind);
    assert.equal(failure.status, status);
    if (kind !== 'credential-refused' && kind !== 'out-of-quota') assert.equal(failure.message, message);
    else assert.doesNotMatch(failure.message, /access|token|pay/i);
  });
}

const OF_TYPE: Record<string, [kind: FailureKind, status: number]> = {
  Throttling: ['rate-limited', 429],
  ServiceQuotaExceeded: ['rate-limited', 429],
  TooManyRequests: ['rate-limited', 429],
  ModelNotReady: ['overloaded', 429],
  ServiceUnavailable: ['overloaded', 503],
  ModelTimeout: ['timed-out', 408],
  ModelError: ['broken', 424],
  ModelStreamError: ['broken', 424],
  InternalServer: ['broken', 500],
  InternalFailure: ['broken', 500],
  Validation: ['request-refused', 400],
  ResourceNotFound: ['request-refused', 404],
  AccessDenied: ['credential-refused', 403],
  UnrecognizedClient: ['credential-refused', 403],
  InvalidSignature: ['credential-refused', 403],
  IncompleteSignature: ['credential-refused', 403],
  MissingAuthenticationToken: ['credential-refused', 403],
  ExpiredToken: ['credential-refused', 403],
  OptInRequired: ['credential-refused', 403],
};

test('an exception within a stream has the kind and status of its type; one of an unknown type is broken', () => {
  for (const [type, expected] of Object.entries(OF_TYPE)) {
    const { kind, status } = decodeException(`${type}Exception`, {});
    assert.deepEqual([kind, status], expected, type);
  }
  assert.deepEqual(decodeException('Odd', {}), {
    kind: 'broken',
    message: 'the provider reported an error',
    type: 'Odd',
    detail: '{}',
  });
});

test('a model that was throttled behind Bedrock is rate limited', () => {
  assert.equal(decodeException('ModelErrorException', { originalStatusCode: 429 }).kind, 'rate-limited');
  assert.equal(decodeException('ModelErrorException', { originalStatusCode: 400 }).kind, 'broken');
  assert.equal(decodeException('ValidationException', { originalStatusCode: 429 }).kind, 'request-refused');
});

test('a failure without a message gets one, and retry-after is read', () => {
  const failure = decodeFailure({ status: 429, headers: { 'retry-after': '7' }, body: '<html>' });
  assert.equal(failure.kind, 'rate-limited');
  assert.equal(failure.retryAfterSeconds, 7);
  assert.match(failure.message, /429/);
});

test('of a long exception the caller gets 4096 characters and the operator 2048', () => {
  const failure = decodeException('ValidationException', { message: 'a'.repeat(50_000) });
  assert.deepEqual([failure.message.length, failure.detail?.length], [4096, 2048]);
});

test('the operator sees the beginning of a refusal’s body, and the first of several types counts', () => {
  const body = JSON.stringify({ message: 'a'.repeat(3_000) });
  const headers = { 'x-amzn-errortype': ['com.amazon#ThrottlingException:http://x.test:80', 'Odd'] };
  const { kind, type, detail } = decodeFailure({ status: 400, headers, body });
  assert.deepEqual([kind, type, detail], ['rate-limited', 'ThrottlingException', body.slice(0, 2048)]);
});
