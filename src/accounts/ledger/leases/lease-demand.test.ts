import assert from 'node:assert/strict';
import { test } from 'node:test';
import { LeaseDemand } from './lease-demand.ts';

/** The demand after requests at these moments, each with what it held. */
function demandOf(...requests: (readonly [atMs: number, amount: bigint])[]): LeaseDemand {
  const demand = new LeaseDemand(0);
  for (const [atMs, amount] of requests) demand.record(amount, atMs);
  return demand;
}

const times = (count: number, atMs: number, amount = 1n) =>
  Array.from({ length: count }, () => [atMs, amount] as const);

test('a subject is busy from eight requests in this second and the one before', () => {
  assert.equal(demandOf(...times(7, 0)).isBusy(999), false);
  assert.equal(demandOf(...times(8, 0)).isBusy(999), true);
  assert.equal(demandOf(...times(4, 0), ...times(4, 1_000)).isBusy(1_999), true);
  assert.equal(demandOf(...times(8, 0)).isBusy(1_999), true);
  assert.equal(demandOf(...times(8, 0)).isBusy(2_000), false);
});

test('a lease covers a second of requests, and at least eight of the largest and one unit more', () => {
  const demand = demandOf(...times(100, 0, 3n), [1_000, 5n]);
  assert.equal(demand.least, 41n);
  assert.equal(demand.second, 300n);
  assert.equal(demandOf([0, 5n]).second, 41n);
  assert.equal(demandOf([0, 0n]).least, 1n);
  assert.equal(demandOf([0, 5n], ...times(20, 1_000, 4n)).second, 80n);
});

test('demand is over two seconds after its last one began, unless a refusal still counts', () => {
  const demand = demandOf([0, 1n]);
  assert.deepEqual([demand.isOver(2_000), demand.isOver(2_001)], [false, true]);
  const later = new LeaseDemand(5_000);
  assert.deepEqual([later.isOver(7_000), later.isOver(7_001)], [false, true]);
  demand.refusedUntilMs = 3_000;
  assert.deepEqual([demand.isOver(2_999), demand.isOver(3_000)], [false, true]);
});
