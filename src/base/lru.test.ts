import assert from 'node:assert/strict';
import { test } from 'node:test';
import { createLru } from './lru.ts';

test('the entries that were used last are kept, and no more', () => {
  const cache = createLru<string, number>(2);
  cache.set('a', 1);
  cache.set('b', 2);
  cache.get('a');
  cache.set('c', 3);
  cache.set('c', 4);
  assert.deepEqual([cache.get('a'), cache.get('b'), cache.get('c')], [1, undefined, 4]);
});

test('an entry ends after its time, by the clock that is given', () => {
  let nowMs = 1;
  const cache = createLru<string, number>(2, { ttl: 100, ttlResolution: 0, perf: { now: () => nowMs } });
  cache.set('a', 1);
  nowMs = 101;
  assert.equal(cache.get('a'), 1);
  nowMs = 102;
  assert.equal(cache.get('a'), undefined);
});

test('an empty cache of a million takes no memory', () => {
  const measure = (): number => {
    const { heapUsed, arrayBuffers } = process.memoryUsage();
    return heapUsed + arrayBuffers;
  };
  const before = measure();
  const cache = createLru<string, number>(1_000_000);
  assert.ok(measure() - before < 1_000_000);
  assert.equal(cache.size, 0);
});
