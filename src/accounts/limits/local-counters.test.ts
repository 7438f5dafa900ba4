import assert from 'node:assert/strict';
import { test } from 'node:test';
import { TestClock } from '../../../test/support/test-clock.ts';
import { LocalCounters } from './local-counters.ts';
import type { LimitKind, RateLimit } from './rate-limits.ts';

const limit = (kind: LimitKind, most: number): RateLimit => ({ owner: 'key', kind, counter: kind, most });
const requestsOf = (counter: string): RateLimit => ({ owner: 'key', kind: 'requests', counter, most: 9 });
const LIMITS = [limit('requests', 1), limit('tokens', 100), limit('concurrency', 1)];

test('a look needs no wait; a request waits for each limit that it does not fit into', () => {
  const clock = new TestClock();
  const counters = new LocalCounters(clock);
  const waits = (tokens?: number): number[] => counters.look(LIMITS, tokens).map(({ waitMs }) => waitMs);
  assert.deepEqual(waits(100), [0, 0, 0]);
  const entry = counters.take(LIMITS, 60);
  assert.deepEqual(waits(undefined), [0, 0, 0]);
  assert.ok(waits(41).every((waitMs) => waitMs > 0));
  assert.deepEqual(
    waits(40).map((waitMs) => waitMs > 0),
    [true, false, true],
  );
  assert.equal(counters.takeIfFits(LIMITS, 1), undefined);
  counters.end(entry, 60);
  assert.deepEqual(
    waits(40).map((waitMs) => waitMs > 0),
    [true, false, false],
    'the place is free, the minute is not over',
  );
  clock.advance(120_000);
  assert.deepEqual(waits(100), [0, 0, 0]);
  assert.deepEqual(
    counters.look(LIMITS, 1).map(({ used }) => used),
    [0, 0, 0],
  );
});

test('places are held one by one, and given back one by one', () => {
  const counters = new LocalCounters(new TestClock());
  const places = [limit('concurrency', 2)];
  const [first, second] = [counters.takeIfFits(places, 0), counters.takeIfFits(places, 0)];
  assert.ok(first && second);
  assert.equal(counters.takeIfFits(places, 0), undefined);
  counters.end(first, 0);
  assert.equal(counters.look(places, 0)[0]?.used, 1);
  assert.equal(counters.size, 1);
  counters.end(second, 0);
  assert.equal(counters.size, 0);
});

test('a counter without requests in the last minute is freed; one with a single request is kept', () => {
  const clock = new TestClock();
  const counters = new LocalCounters(clock);
  const usedOf = (counter: string) => counters.look([requestsOf(counter)], undefined)[0]?.used;
  counters.take([requestsOf('idle')], 0);
  clock.advance(65_000);
  counters.take([requestsOf('recent')], 0);
  assert.equal(counters.size, 1);
  clock.advance(60_000);
  counters.take([requestsOf('new')], 0);
  assert.deepEqual(['idle', 'recent', 'new'].map(usedOf), [0, 1, 1]);
  assert.equal(counters.size, 2);
});

test('tokens beyond the estimate count from the end of the request, unused ones are subtracted from its start', () => {
  const clock = new TestClock();
  const counters = new LocalCounters(clock);
  const tokens = [limit('tokens', 100)];
  const read = () => counters.look(tokens, undefined)[0];
  assert.deepEqual([read()?.used, read()?.resetMs], [0, 0]);
  const [beyond, unused, empty] = [
    counters.take(tokens, 10),
    counters.take(tokens, 10),
    counters.take(tokens, 0),
  ];
  assert.equal(read()?.used, 21, 'an empty prompt counts one token');
  clock.advance(30_000);
  counters.end(beyond, 15);
  counters.end(unused, 4);
  counters.end(empty, 1);
  assert.equal(read()?.used, 20);
  clock.advance(35_000);
  assert.equal(read()?.used, 5);
});

test('unused counters are freed once a minute', () => {
  const clock = new TestClock();
  const counters = new LocalCounters(clock);
  const sizeAfter = (ms: number, counter: string): number => {
    clock.advance(ms);
    counters.take([requestsOf(counter)], 0);
    return counters.size;
  };
  assert.deepEqual([sizeAfter(0, 'a'), sizeAfter(60_000, 'b')], [1, 2]);
  assert.deepEqual([sizeAfter(2_000, 'c'), sizeAfter(57_999, 'c'), sizeAfter(1, 'c')], [3, 3, 2]);
});

test('a request that finds no slot is asked to wait for a second', () => {
  const counters = new LocalCounters(new TestClock());
  const places = [limit('concurrency', 1)];
  counters.take(places, 0);
  assert.equal(counters.look(places, 0)[0]?.waitMs, 1_000);
});
