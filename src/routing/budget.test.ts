import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { Budget } from './budget.ts';

const OPTIONS = { share: 0.5, reserve: 10, perSecond: 1 };

test('a budget grants no more than its reserve, its share of the requests and what time gives back', () => {
  const steps = fc.array(fc.record({ afterMs: fc.nat(5_000), isRequest: fc.boolean() }), { maxLength: 300 });
  fc.assert(
    fc.property(steps, (list) => {
      const budget = new Budget(OPTIONS, 0);
      let [nowMs, requests, granted] = [0, 0, 0];
      for (const { afterMs, isRequest } of list) {
        nowMs += afterMs;
        if (isRequest) {
          requests += 1;
          budget.earn();
        } else granted += Number(budget.spend(nowMs));
      }
      assert.ok(granted <= OPTIONS.reserve + requests * OPTIONS.share + nowMs / 1_000);
    }),
  );
});

test('the reserve is there at once, and never grows beyond itself', () => {
  const budget = new Budget(OPTIONS, 0);
  for (let request = 0; request < 100; request += 1) budget.earn();
  const granted = Array.from({ length: 12 }, () => budget.spend(0)).filter(Boolean);
  assert.equal(granted.length, 10);
  assert.equal(budget.spend(1_000), true);
});

test('time gives the reserve back by the second, each second once', () => {
  const budget = new Budget({ share: 0, reserve: 2, perSecond: 0.5 }, 10_000);
  const spendAll = (nowMs: number) =>
    Array.from({ length: 3 }, () => budget.spend(nowMs)).filter(Boolean).length;
  assert.equal(spendAll(10_000), 2);
  assert.equal(spendAll(11_999), 0);
  assert.equal(spendAll(12_000), 1);
  assert.equal(spendAll(13_000), 0);
  assert.equal(spendAll(16_000), 2);
});

test('the shares of requests that still wait for an answer are kept beside the reserve', () => {
  const budget = new Budget({ share: 0.5, reserve: 1, perSecond: 0 }, 0);
  for (let request = 0; request < 4; request += 1) budget.enter();
  assert.deepEqual(
    Array.from({ length: 4 }, () => budget.spend(0)),
    [true, true, true, false],
  );
  for (let request = 0; request < 4; request += 1) budget.leave();
  for (let request = 0; request < 4; request += 1) budget.earn();
  assert.deepEqual([budget.spend(0), budget.spend(0)], [true, false]);
});
