import type { JsonObject } from '#base';
import type { LatencyLine } from './latency.ts';
import type { Percentiles } from './percentiles.ts';

/** Times as JSON, in milliseconds. */
export function encodeLatency(lines: readonly LatencyLine[]): JsonObject {
  return {
    object: 'list',
    data: lines.map(({ group, firstToken, duration }) => ({
      object: 'latency',
      group: { ...group },
      time_to_first_token: encodePercentiles(firstToken),
      duration: encodePercentiles(duration),
    })),
  };
}

const encodePercentiles = (found: Percentiles | undefined): JsonObject | null =>
  found === undefined
    ? null
    : { requests: found.count, p50: round(found.p50), p95: round(found.p95), p99: round(found.p99) };

/** Buckets are wider than three digits. */
const round = (ms: number): number => Number(ms.toPrecision(3));
