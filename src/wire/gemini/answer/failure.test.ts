import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { test } from 'node:test';
import { NO_RECORDINGS, RECORDINGS, hasRecordings } from '../../../../test/support/recordings.ts';
import { decodeFailure } from './failure.ts';

const fail = (status: number, error: object, headers = {}) =>
  decodeFailure({ status, headers, body: JSON.stringify({ error: { code: status, ...error } }) });

test('statuses map to kinds of failure, with Google’s message if the client may see it', () => {
  const refused = fail(400, { message: 'Unknown name "x"', status: 'INVALID_ARGUMENT' });
  assert.deepEqual(
    [refused.kind, refused.message, refused.type, refused.status],
    ['request-refused', 'Unknown name "x"', 'INVALID_ARGUMENT', 400],
  );
  const kinds = [401, 403, 404, 429, 500, 503, 504].map((status) => fail(status, { message: 'm' }).kind);
  assert.deepEqual(kinds, [
    'credential-refused',
    'credential-refused',
    'request-refused',
    'rate-limited',
    'broken',
    'overloaded',
    'timed-out',
  ]);
});

test('a bad key, which Google reports as a malformed request, is an error of the gateway', () => {
  const failure = fail(400, {
    message: 'API key not valid. Please pass a valid API key.',
    status: 'INVALID_ARGUMENT',
    details: [{ reason: 'API_KEY_INVALID' }],
  });
  assert.equal(failure.kind, 'credential-refused');
  assert.doesNotMatch(failure.message, /API key/);
});

test('an error in an array is read like a single one', () => {
  const body = JSON.stringify([{ error: { code: 503, message: 'overloaded', status: 'UNAVAILABLE' } }]);
  const failure = decodeFailure({ status: 503, headers: {}, body });
  assert.deepEqual([failure.kind, failure.message], ['overloaded', 'overloaded']);
});

test('the recorded 429 asks to wait 35 seconds', { skip: hasRecordings ? false : NO_RECORDINGS }, () => {
  const body = readFileSync(`${RECORDINGS}/google/google-429-retry-info.json`, 'utf8');
  const failure = decodeFailure({ status: 429, headers: {}, body });
  assert.deepEqual([failure.kind, failure.retryAfterSeconds], ['rate-limited', 35]);
  assert.equal(decodeFailure({ status: 429, headers: { 'retry-after': '3' }, body }).retryAfterSeconds, 3);
});
