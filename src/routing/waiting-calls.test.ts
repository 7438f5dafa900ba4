import assert from 'node:assert/strict';
import { test } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import { until } from '../../test/support/until.ts';
import { SampledTiming } from './timing.ts';
import { WaitingCalls } from './waiting-calls.ts';

/** A call whose other answers show nothing. */
function createCall(startedMs: number, onSilence: () => void) {
  const notify = (): true => {
    onSilence();
    return true;
  };
  return { startedMs, waitedMs: 0, usual: undefined, onSilence: notify };
}

/** Calls that began at these times, and the names of those that were notified. */
function open(startedMs: readonly number[]) {
  const calls = new WaitingCalls();
  const notified: number[] = [];
  const add = (ms: number) => calls.add(createCall(ms, () => notified.push(ms)));
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
    calls.add(
      createCall(at, () => {
        notified += 1;
        if (notified === 25) calls.begin(150);
      }),
    );
  calls.miss(100, 200);
  calls.miss(100, 200);
  assert.equal(notified, 20);
  await until('the next are notified', () => notified === 40);
  await sleep(100);
  assert.equal(notified, 40);
});

/** How many of the calls that have waited for these times are to try another mapping, where answers take 1 to 10 s. */
async function tryAfter(
  waitedMs: readonly number[],
  prepare: (calls: WaitingCalls) => void = () => undefined,
): Promise<{ tried: number; sure: number }> {
  const calls = new WaitingCalls();
  const usual = new SampledTiming();
  for (let second = 1; second <= 10; second += 1) usual.add(second * 1_000);
  const seen = { tried: 0, sure: 0 };
  const leaves: (() => void)[] = [];
  for (const [at, ms] of waitedMs.entries()) {
    const onSilence = (isSure: boolean): boolean => {
      seen[isSure ? 'sure' : 'tried'] += 1;
      leaves[at]?.();
      return true;
    };
    leaves.push(calls.add({ startedMs: -ms, waitedMs: ms, usual, onSilence }));
  }
  prepare(calls);
  await sleep(600);
  for (const leave of leaves) leave();
  return seen;
}

test('where it is unlikely that all whole answers take so long, four of the calls try another mapping', async () => {
  assert.deepEqual(await tryAfter([20_000, 20_000]), { tried: 0, sure: 0 }, 'two may');
  assert.deepEqual(await tryAfter([20_000, 20_000, 20_000]), { tried: 3, sure: 0 });
  assert.deepEqual(await tryAfter(Array.from({ length: 9 }, () => 9_000)), { tried: 4, sure: 0 });
  assert.deepEqual(await tryAfter(Array.from({ length: 9 }, () => 3_000)), { tried: 0, sure: 0 });
  assert.deepEqual(await tryAfter(Array.from({ length: 99 }, () => 1_000)), { tried: 0, sure: 0 });
});

test('calls before the last that was answered show nothing together; one that was outpaced shows enough', async () => {
  const waited = Array.from({ length: 9 }, () => 20_000);
  assert.deepEqual(await tryAfter(waited, (calls) => calls.begin(-10_000)), { tried: 0, sure: 0 });
  assert.deepEqual(await tryAfter(waited, (calls) => calls.miss(-15_000, 0)), { tried: 0, sure: 9 });
});
