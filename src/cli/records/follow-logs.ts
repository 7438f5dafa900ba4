import type { LogFilter, LogRow, Stores } from '#app';
import { encodeLog, followRow, formatRows, toTenants } from '#app';
import { systemClock } from '#base';
import type { CommonOptions } from '../terminal/command.ts';
import { readNames } from '../terminal/names.ts';
import { explainEmptyResult } from '../reports/explain-empty-result.ts';
import { follow } from '../terminal/follow.ts';
import { printLines, printTexts, toJson } from '../terminal/output.ts';
import { type Table, createTable } from '../terminal/table.ts';

const PAGE = 200;
/** A row appears when its request ends, so a long one follows others that began later. */
const LONGEST_REQUEST_MS = 60 * 60_000;
const SLACK_MS = 2_000;

interface Question {
  stores: Stores;
  filter: Omit<LogFilter, 'before'> & { organizationId?: string };
  options: CommonOptions;
}

/** Prints the last rows, then new ones as they arrive, until the process is interrupted. */
export async function followLogs(question: Question, signal: AbortSignal): Promise<void> {
  const following: Following = {
    ...question,
    seen: new Map(),
    beganAt: systemClock.now(),
    table: undefined,
  };
  const { stores, filter, options } = question;
  const { limit = PAGE } = filter;
  const latest = await stores.logs.list({ ...filter, limit: Math.min(limit, PAGE) }, toTenants(filter));
  if (latest.length === 0) await explainEmptyResult(stores, filter, options);
  await show(latest, following);
  await follow(signal, async () => show(await readUnseen(following), following));
}

interface Following extends Question {
  /** Rows that were shown → when they started. */
  seen: Map<string, number>;
  beganAt: number;
  /** That of the rows shown before. */
  table: Table | undefined;
}

/** Requests that ended since the beginning and were not shown yet, newest first; stops at a page without any. */
async function readUnseen({ stores, filter, seen, beganAt }: Following): Promise<LogRow[]> {
  const since = Math.max(filter.since ?? 0, systemClock.now() - LONGEST_REQUEST_MS);
  const unseen: LogRow[] = [];
  let last: LogRow | undefined;
  for (;;) {
    const from = { ...filter, since, ...followRow(last), limit: PAGE };
    const page = await stores.logs.list(from, toTenants(filter));
    const fresh = page.filter(
      (row) => !seen.has(row.requestId) && row.startedAt + row.durationMs > beganAt - SLACK_MS,
    );
    unseen.push(...fresh);
    last = page.at(-1);
    if (fresh.length === 0 || page.length < PAGE) return unseen;
  }
}

async function show(rows: readonly LogRow[], following: Following): Promise<void> {
  const { stores, options, seen } = following;
  const oldest = systemClock.now() - 2 * LONGEST_REQUEST_MS;
  for (const [id, startedAt] of seen) if (startedAt < oldest) seen.delete(id);
  if (rows.length === 0) return;
  for (const { requestId, startedAt } of rows) seen.set(requestId, startedAt);
  const ordered = rows.toReversed();
  if (options.json === true) {
    printLines(ordered.map((row) => toJson(encodeLog(row, true))));
    return;
  }
  const names = await readNames(
    stores.accounts.directory,
    rows.map(({ keyId }) => keyId),
  );
  const shown = formatRows(ordered, names);
  following.table ??= createTable(shown.heading);
  printTexts(following.table.push(shown.rows));
}
