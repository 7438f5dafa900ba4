import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { FailureKind } from '#errors';
import { getOutboundFormat } from '#wire';

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
  [402, undefined, 'pay first', 'credential-refused'],
  [403, undefined, 'not you', 'credential-refused'],
  [418, undefined, 'teapot', 'request-refused'],
  [502, undefined, 'bad gateway', 'broken'],
];

for (const [status, type, message, kind] of CASES) {
  test(`[D-62] ${status} ${type ?? ''} (${message}) is ${kind}`, () => {
    const headers = type === undefined ? {} : { 'x-amzn-errortype': type };
    const failure = decodeFailure({ status, headers, body: JSON.stringify({ message }) });
    assert.equal(failure.kind, kind);
    assert.equal(failure.status, status);
    if (kind !== 'credential-refused') assert.equal(failure.message, message);
    else assert.doesNotMatch(failure.message, /access|token/i);
  });
}

test('a failure without a message gets one, and retry-after is read', () => {
  const failure = decodeFailure({ status: 429, headers: { 'retry-after': '7' }, body: '<html>' });
  assert.equal(failure.kind, 'rate-limited');
  assert.equal(failure.retryAfterSeconds, 7);
  assert.match(failure.message, /429/);
});
