import assert from 'node:assert/strict';
import { test } from 'node:test';
import { parseRateLimits, readRateLimitChange } from './rate-limits.ts';

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
