import assert from 'node:assert/strict';
import { test } from 'node:test';
import { createRateLimitStore } from './rate-limit-store.ts';
import { listRateLimits, parseRateLimits, readRateLimitChange } from './rate-limits.ts';

const MOST = 1_000_000_000;

test('a limit is a whole number from 1 to a billion; another stored value limits nothing', () => {
  for (const count of [1, MOST]) {
    assert.deepEqual(parseRateLimits({ concurrency: count }), { concurrency: count });
    assert.deepEqual(readRateLimitChange({ concurrency: count }), { concurrency: count });
  }
  for (const count of [0, -1, MOST + 1, 1.5, Number.NaN]) {
    assert.deepEqual(parseRateLimits({ concurrency: count }), {}, String(count));
    assert.throws(() => readRateLimitChange({ concurrency: count }), /whole number from 1 to/, String(count));
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

test('limits of what does not exist are refused by its name', async () => {
  const query = async () => ({ rows: [], rowCount: 0 });
  const store = createRateLimitStore({ database: { query }, onChange: () => assert.fail('nothing changed') });
  await assert.rejects(store.setKeyRateLimits('k', {}), /key/);
  await assert.rejects(store.setOrganizationRateLimits('o', {}), /organization/);
});
