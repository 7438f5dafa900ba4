import assert from 'node:assert/strict';
import { test } from 'node:test';
import { SampledTiming, Timing } from './timing.ts';

test('the mean follows a fifth of each new sample, and the high is four deviations above it', () => {
  const timing = new Timing();
  assert.deepEqual([timing.count, timing.mean], [0, 0]);
  timing.add(100);
  assert.deepEqual([timing.count, timing.mean, timing.high], [1, 100, 300]);
  timing.add(200);
  assert.deepEqual([timing.count, timing.mean, timing.high], [2, 120, 360]);
  timing.add(20);
  assert.deepEqual([timing.count, timing.mean, timing.high], [3, 100, 372]);
  timing.reset();
  timing.add(10);
  assert.deepEqual([timing.count, timing.mean, timing.high], [1, 10, 30]);
});

test('the steady time is the mean, and less the more samples differ by more than half of it', () => {
  const timing = new Timing();
  for (const [sample, steady] of [
    [100, 100],
    [100, 100],
    [600, 136],
    [0, 29],
    [0, 0],
  ] as const) {
    timing.add(sample);
    assert.equal(Math.round(timing.steady), steady, String(sample));
  }
});

test('of the last 32 samples it is known how many are above a time', () => {
  const timing = new SampledTiming();
  assert.equal(timing.shareAbove(0), 1);
  for (let sample = 1; sample <= 40; sample += 1) timing.add(sample);
  assert.equal(timing.shareAbove(24), 17 / 33);
  assert.equal(timing.shareAbove(8), 1);
  assert.equal(timing.shareAbove(1_000), 1 / 33);
  timing.reset();
  timing.add(5);
  assert.equal(timing.shareAbove(5), 1 / 2);
});
