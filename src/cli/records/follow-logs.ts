import type { LogRow, Stores } from '#app';
import { encodeLog, toTenants } from '#app';
import { systemClock } from '#base';
import { createLogTable, formatRows } from './format-logs.ts';
import { explainEmptyResult, toFilter } from './filters.ts';
import { type LogsOptions, after, readKeyNames } from './log-query.ts';
import { follow } from '../terminal/follow.ts';
import { printLines, printTexts, toJson } from '../terminal/output.ts';
import type { Table } from '../terminal/table.ts';

const PAGE = 200;
/** A row appears when its request ends, so a long one follows others that began later. */
const LONGEST_REQUEST_MS = 60 * 60_000;
const SLACK_MS = 2_000;

/** Prints the last rows, then new ones as they arrive, until the process is interrupted. */
export async function followLogs(stores: Stores, options: LogsOptions, signal: AbortSignal): Promise<void> {
  const following: Following = {
    options,
    seen: new Map(),
    beganAt: systemClock.now(),
    table: createLogTable(),
  };
  const latest = await readLatest(stores, options);
  if (latest.length === 0) await explainEmptyResult(stores, toFilter(options), options);
  await show(stores, latest, following);
  await follow(signal, async () => show(stores, await readUnseen(stores, following), following));
}

interface Following {
  options: LogsOptions;
  /** Rows that were shown → when they started. */
  seen: Map<string, number>;
  beganAt: number;
  table: Table;
}

function readLatest({ logs }: Stores, options: LogsOptions): Promise<LogRow[]> {
  const filter = toFilter(options);
  return logs.list({ ...filter, limit: Math.min(options.limit, PAGE) }, toTenants(filter));
}

/** Requests that ended since the beginning and were not shown yet, newest first; stops at a page without any. */
async function readUnseen({ logs }: Stores, { options, seen, beganAt }: Following): Promise<LogRow[]> {
  const filter = toFilter(options);
  const since = Math.max(options.since ?? 0, systemClock.now() - LONGEST_REQUEST_MS);
  const unseen: LogRow[] = [];
  let last: LogRow | undefined;
  for (;;) {
    const page = await logs.list({ ...filter, since, ...after(last), limit: PAGE }, toTenants(filter));
    const fresh = page.filter(
      (row) => !seen.has(row.requestId) && row.startedAt + row.durationMs > beganAt - SLACK_MS,
    );
    unseen.push(...fresh);
    last = page.at(-1);
    if (fresh.length === 0 || page.length < PAGE) return unseen;
  }
}

async function show(
  stores: Stores,
  rows: readonly LogRow[],
  { options, seen, table }: Following,
): Promise<void> {
  const oldest = systemClock.now() - 2 * LONGEST_REQUEST_MS;
  for (const [id, startedAt] of seen) if (startedAt < oldest) seen.delete(id);
  if (rows.length === 0) return;
  const names = await readKeyNames(stores, rows, options);
  for (const { requestId, startedAt } of rows) seen.set(requestId, startedAt);
  const ordered = rows.toReversed();
  if (options.json === true) printLines(ordered.map((row) => toJson(encodeLog(row, true))));
  else printTexts(formatRows(ordered, names, table));
}
