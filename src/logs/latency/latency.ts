import { type Tenants, within } from '../rows/log-filter.ts';
import { type ReaderPorts, reportInTime } from '../query-in-time.ts';
import { type StoredUsageState, USAGE_STATE, readUsageState } from '../usage/usage-state.ts';
import { type Percentiles, readPercentiles } from './percentiles.ts';
import { type LatencyFilter, type LatencyGroup, selectLatency } from './select-latency.ts';

/** The times of some answers; of answers from the response cache and of requests that got none there are no times. */
export interface LatencyLine {
  group: Partial<Record<LatencyGroup, string>>;
  firstToken: Percentiles | undefined;
  duration: Percentiles | undefined;
}

/** How long answers took. */
export interface LatencyReader {
  list(filter: LatencyFilter, tenants: Tenants): Promise<LatencyLine[]>;
}

/** Buckets of first tokens are numbered from here. */
const FIRST_TOKEN = 256;

type StoredLine = { buckets: number[] | null; counts: number[] | null } & Record<string, string>;

export function createLatencyReader(ports: ReaderPorts): LatencyReader {
  return {
    list: (filter, tenants) =>
      reportInTime(ports, tenants, async (ask) => {
        const state = readUsageState((await ask<StoredUsageState>(USAGE_STATE))[0]);
        const rows = await ask<StoredLine>(selectLatency(within(filter, tenants), state));
        return rows.map((row) => readLine(row, filter.by ?? []));
      }),
  };
}

function readLine(row: StoredLine, by: readonly LatencyGroup[]): LatencyLine {
  const { buckets, counts } = row;
  const pairs = (buckets ?? []).map((bucket, at) => [bucket, counts?.[at] ?? 0] as const);
  return {
    group: Object.fromEntries(by.map((name, at) => [name, row[`by_${at}`] ?? ''])),
    duration: readPercentiles(new Map(pairs.filter(([bucket]) => bucket < FIRST_TOKEN))),
    firstToken: readPercentiles(
      new Map(
        pairs
          .filter(([bucket]) => bucket >= FIRST_TOKEN)
          .map(([bucket, count]) => [bucket - FIRST_TOKEN, count]),
      ),
    ),
  };
}
