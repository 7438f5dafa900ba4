import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { readPercentiles } from './percentiles.ts';

const bucketOf = (ms: number): number => (ms < 1 ? 0 : 1 + Math.floor(8 * Math.log2(ms)));

test('a percentile is in the bucket of the value that has its rank', () => {
  fc.assert(
    fc.property(fc.array(fc.double({ min: 0, max: 1e6, noNaN: true }), { minLength: 1 }), (values) => {
      const counts = new Map<number, number>();
      for (const ms of values) counts.set(bucketOf(ms), (counts.get(bucketOf(ms)) ?? 0) + 1);
      const found = readPercentiles(counts) ?? assert.fail('no percentiles');
      const sorted = values.toSorted((a, b) => a - b);
      for (const [share, ms] of [
        [0.5, found.p50],
        [0.95, found.p95],
        [0.99, found.p99],
      ] as const) {
        const exact = sorted[Math.ceil(sorted.length * share) - 1] ?? assert.fail('no value');
        const [start, end] = exact < 1 ? [0, 1] : [exact / 2 ** (1 / 8), exact * 2 ** (1 / 8)];
        assert.ok(ms >= start - 1e-9 && ms <= end + 1e-9, `${ms} for ${exact}`);
      }
      assert.equal(found.count, values.length);
    }),
  );
});

test('without values there are no percentiles', () => {
  assert.equal(readPercentiles(new Map()), undefined);
});
