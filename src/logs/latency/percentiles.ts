/** How many values lie in each bucket of `latency_bucket` (0024_latency.sql). */
type BucketCounts = ReadonlyMap<number, number>;

/** Percentiles of a number of times, in milliseconds. */
export interface Percentiles {
  count: number;
  p50: number;
  p95: number;
  p99: number;
}

const PER_OCTAVE = 8;

const startOf = (bucket: number): number => (bucket === 0 ? 0 : 2 ** ((bucket - 1) / PER_OCTAVE));

/** Percentiles, interpolated within their buckets; undefined without values. */
export function readPercentiles(counts: BucketCounts): Percentiles | undefined {
  const buckets = [...counts].sort(([a], [b]) => a - b);
  const count = buckets.reduce((sum, [, some]) => sum + some, 0);
  if (count === 0) return undefined;
  const find = (share: number): number => interpolate(buckets, count * share);
  return { count, p50: find(0.5), p95: find(0.95), p99: find(0.99) };
}

function interpolate(buckets: readonly (readonly [bucket: number, count: number])[], rank: number): number {
  let before = 0;
  for (const [bucket, count] of buckets) {
    if (before + count >= rank) {
      const [start, end] = [startOf(bucket), startOf(bucket + 1)];
      const share = (rank - before) / count;
      return start === 0 ? share * end : start * (end / start) ** share;
    }
    before += count;
  }
  return startOf((buckets.at(-1)?.[0] ?? 0) + 1);
}
