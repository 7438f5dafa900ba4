import assert from 'node:assert/strict';
import { test } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import { until } from '../../test/support/until.ts';
import { WaitingCalls } from './waiting-calls.ts';

/** Calls that began at these times, and the names of those that were notified. */
function open(startedMs: readonly number[]) {
  const calls = new WaitingCalls();
  const notified: number[] = [];
  const add = (ms: number) => calls.add(ms, () => void notified.push(ms));
  return { calls, notified, add, leaves: startedMs.map((ms) => add(ms)) };
}

test('two calls in a row that are silent for too long show that a mapping is silent, one does not', () => {
  const { calls, notified } = open([1, 2]);
  calls.miss(5, 10);
  assert.deepEqual(notified, []);
  calls.miss(4, 10);
  assert.deepEqual(notified, [1, 2]);
});

test('while a call is answered that began later, the mapping is not silent to all', () => {
  const { calls, notified } = open([1]);
  calls.miss(5, 10);
  calls.begin(6);
  calls.miss(4, 10);
  calls.miss(7, 10);
  assert.deepEqual(notified, []);
  calls.begin(3); // from before
  calls.miss(8, 10);
  assert.deepEqual(notified, [1]);
});

test('a call that is no longer awaited, or has just begun, is not notified', () => {
  const { calls, notified, add, leaves } = open([1, 2, 3]);
  leaves[1]?.();
  add(10);
  calls.miss(5, 10);
  calls.miss(5, 10);
  assert.deepEqual(notified, [1, 3]);
});

test('of many calls twenty at a time are notified, until one that began later is answered', async () => {
  const calls = new WaitingCalls();
  let notified = 0;
  for (let at = 0; at < 70; at += 1)
    calls.add(at, () => {
      notified += 1;
      if (notified === 25) calls.begin(150);
    });
  calls.miss(100, 200);
  calls.miss(100, 200);
  assert.equal(notified, 20);
  await until('the next are notified', () => notified === 40);
  await sleep(100);
  assert.equal(notified, 40);
});
