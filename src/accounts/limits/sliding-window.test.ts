import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { SlidingWindow } from './sliding-window.ts';

const WINDOW_MS = 60_000;

interface Admitted {
  atMs: number;
  amount: number;
}

/** The first 60 s, ends included, that hold more than allowed. */
function findOverflow(admitted: readonly Admitted[], most: number): Admitted | undefined {
  return admitted.find(({ atMs }) => {
    const within = admitted.filter((one) => one.atMs >= atMs && one.atMs <= atMs + WINDOW_MS);
    return within.reduce((sum, { amount }) => sum + amount, 0) > most;
  });
}

const arrivals = fc.array(
  fc.record({
    // Bursts, second edges, and pauses around the length of the window.
    waitMs: fc.oneof(
      fc.nat(30),
      fc.nat(3_000),
      fc.constantFrom(999, 1_000, 1_001, 59_000, 59_999, 60_000, 60_001, 61_000),
      fc.double({ min: 0, max: 70_000, noNaN: true }),
    ),
    amount: fc.integer({ min: 1, max: 12 }),
  }),
  { minLength: 1, maxLength: 120 },
);

test('never more than N in any 60 s, whatever the arrivals', () => {
  fc.assert(
    fc.property(arrivals, fc.integer({ min: 1, max: 20 }), fc.nat(200_000), (steps, most, startMs) => {
      const window = new SlidingWindow();
      const admitted: Admitted[] = [];
      let atMs = startMs + 0.25;
      for (const { waitMs, amount } of steps) {
        atMs += waitMs;
        if (window.waitFor(amount, most, atMs) > 0) continue;
        window.add(amount, atMs);
        admitted.push({ atMs, amount });
        assert.ok(window.used(atMs) <= most);
      }
      assert.equal(findOverflow(admitted, most), undefined);
    }),
    { numRuns: 2_000 },
  );
});

test('a request fits after the reported wait and not a moment earlier; no wait is longer than 61 s', () => {
  fc.assert(
    fc.property(arrivals, fc.integer({ min: 1, max: 20 }), (steps, most) => {
      const window = new SlidingWindow();
      const added: [number, number][] = [];
      /** Looking ahead moves a window on, so each look is at another one. */
      const waitAt = (amount: number, thenMs: number): number => {
        const copy = new SlidingWindow();
        for (const call of added) copy.add(...call);
        return copy.waitFor(amount, most, thenMs);
      };
      let atMs = 0;
      for (const { waitMs, amount } of steps) {
        atMs += waitMs;
        const wait = window.waitFor(amount, most, atMs);
        if (amount > most) assert.equal(wait, Infinity);
        else if (wait > 0) {
          assert.ok(wait <= WINDOW_MS + 1_000);
          assert.ok(waitAt(amount, atMs + wait - 0.01) > 0);
          assert.equal(waitAt(amount, atMs + wait), 0);
        } else {
          window.add(amount, atMs);
          added.push([amount, atMs]);
        }
      }
    }),
    { numRuns: 500 },
  );
});

test('what is taken back was never used, and no count falls below nothing', () => {
  const window = new SlidingWindow();
  window.add(10, 5_000);
  window.add(5, 9_000);
  window.add(-4, 5_000);
  assert.equal(window.used(9_000), 11);
  window.add(-100, 5_000);
  assert.equal(window.used(9_000), 5);
  window.add(-1, 200_000);
  assert.equal(window.used(200_000), 0);
  window.add(3, 100_000);
  assert.equal(window.used(200_000), 0, 'requests before the window are not counted');
});

test('the reset is when nothing counts any more', () => {
  const window = new SlidingWindow();
  assert.equal(window.resetMs(1_000), 0);
  window.add(1, 1_200);
  window.add(1, 7_900);
  assert.equal(window.resetMs(8_000), 60_000);
  assert.equal(window.used(67_999), 1);
  assert.equal(window.used(68_000), 0);
  assert.equal(window.resetMs(68_000), 0);
});

test('an amount of the second that has just left the window changes no other second', () => {
  const window = new SlidingWindow();
  window.add(3, 61_000);
  window.add(5, 0);
  assert.equal(window.used(61_000), 3);
  window.add(-3, 0);
  assert.equal(window.used(61_000), 3);
  window.add(5, 1_000);
  assert.equal(window.used(61_000), 8);
});
