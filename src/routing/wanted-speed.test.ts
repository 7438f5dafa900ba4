import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { isFastEnough } from './wanted-speed.ts';
import { Timing } from './timing.ts';

const timingOf = (samples: readonly number[]): Timing => {
  const timing = new Timing();
  for (const sample of samples) timing.add(sample);
  return timing;
};

test('a mapping is fast enough as long as nothing is known of it, or each known percentile is below its cutoff', () => {
  const unknown = new Timing();
  const known = timingOf([100, 100, 100, 100, 100]);
  const isFast = (firstEvent: Timing, p50: number) =>
    isFastEnough({ firstEvent, perToken: unknown }, { firstEvent: { p50 }, perToken: { p99: 1 } });
  assert.deepEqual([isFast(unknown, 1), isFast(known, 100), isFast(known, 99)], [true, true, false]);
  assert.equal(isFastEnough({ firstEvent: known, perToken: known }, { perToken: { p50: 99 } }), false);
});

test('of one sample of 100 ms the median is that, and higher percentiles lie as far above it as they usually do', () => {
  const firstEvent = timingOf([100]);
  const least = (['p50', 'p75', 'p90', 'p99'] as const).map((percentile) => {
    const meets = (most: number) =>
      isFastEnough({ firstEvent, perToken: new Timing() }, { firstEvent: { [percentile]: most } });
    return Array.from({ length: 500 }, (_, most) => most).find(meets);
  });
  assert.deepEqual(least, [100, 143, 181, 246]);
});

test('property: a higher percentile is met only where the lower ones are', () => {
  fc.assert(
    fc.property(
      fc.array(fc.integer({ min: 1, max: 10_000 }), { minLength: 1 }),
      fc.integer({ min: 1, max: 30_000 }),
      (samples, most) => {
        const firstEvent = timingOf(samples);
        const meets = (['p50', 'p75', 'p90', 'p99'] as const).map((percentile) =>
          isFastEnough({ firstEvent, perToken: new Timing() }, { firstEvent: { [percentile]: most } }),
        );
        assert.deepEqual(meets, meets.toSorted().reverse());
      },
    ),
  );
});
