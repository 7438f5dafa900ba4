import { toSnakeCase } from '#base';
import { type UsagePart, createUsage } from '#canonical';
import { epochMs, LOG_COLUMNS, type LogColumn, type LogColumnKind } from '#storage';
import type { LogRow } from './log-row.ts';
import { type UsageColumn, readCounts } from './usage-columns.ts';

/** A row of `request_log` as the queries here select it. */
export type StoredRow = Record<UsageColumn, string> & Record<string, unknown>;

/** What a row is read into, besides its usage. */
type Member = Exclude<keyof LogRow, 'usage' | 'promptChain'>;

type Unread = 'promptChain' | 'closedAt' | 'position' | 'missReason';

/** Does not compile unless the columns are the members of a row, and those that are not read. */
const NAMES: readonly (Member | UsagePart | Unread)[] = Object.keys(LOG_COLUMNS) as LogColumn[];
const KINDS: Readonly<Record<Member | UsagePart | Unread, LogColumnKind>> = LOG_COLUMNS;

const COLUMNS = NAMES.map((name) => ({ name, kind: KINDS[name] }))
  .filter(({ kind }) => kind !== 'unread')
  .map(({ name, kind }) => ({ name, kind, column: kind === 'cost' ? `${name}_cost` : toSnakeCase(name) }));

const MEMBERS = COLUMNS.filter(({ kind }) => kind !== 'count');

export const ROW_COLUMNS = COLUMNS.map(({ kind, column }) => {
  if (kind === 'moment') return `${epochMs(column)} AS ${column}`;
  return kind === 'count' || kind === 'cost' || kind === 'amount' ? `${column}::text` : column;
}).join(', ');

export function readRow(row: StoredRow): LogRow {
  const read: Record<string, unknown> = { usage: createUsage(readCounts(row)) };
  for (const { name, column } of MEMBERS) if (row[column] !== null) read[name] = row[column];
  return read as unknown as LogRow;
}
