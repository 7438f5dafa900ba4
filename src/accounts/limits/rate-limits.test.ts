import assert from 'node:assert/strict';
import { test } from 'node:test';
import { fitsSchema } from '#base';
import { rateLimits } from '../resource/types.ts';
import { listRateLimits, parseRateLimits } from './rate-limits.ts';

const MOST = 1_000_000_000;

test('a limit is a whole number from 1 to a billion; another stored value limits nothing', () => {
  for (const count of [1, MOST]) {
    assert.deepEqual(parseRateLimits({ concurrency: count }), { concurrency: count });
    assert.ok(fitsSchema(rateLimits.input, { concurrency: count }));
  }
  for (const count of [0, -1, MOST + 1, 1.5, Number.NaN]) {
    assert.deepEqual(parseRateLimits({ concurrency: count }), {}, String(count));
    assert.ok(!fitsSchema(rateLimits.input, { concurrency: count }), String(count));
  }
});

test('the limits of a key and of its organization apply together', () => {
  const unlimited = { id: 'o', limits: {} };
  assert.equal(listRateLimits({ id: 'k', limits: null }, unlimited), undefined);
  const ofKey = { owner: 'key', kind: 'requests', counter: 'limit:requests:k', most: 5 };
  const key = { id: 'k', limits: { requestsPerMinute: 5 } };
  assert.deepEqual(listRateLimits(key, unlimited), [ofKey]);
  assert.deepEqual(listRateLimits(key, { id: 'o', limits: { concurrency: 2 } }), [
    ofKey,
    { owner: 'organization', kind: 'concurrency', counter: 'limit:concurrency:o', most: 2 },
  ]);
});
