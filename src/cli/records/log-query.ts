import type { LogFilter, LogRow, Stores } from '#app';
import type { CommonOptions } from '../terminal/command.ts';
import { type RecordNames, readNames } from '../terminal/names.ts';
import type { FilterOptions } from './filters.ts';

/** The options of `sluice logs`. */
export interface LogsOptions extends CommonOptions, FilterOptions {
  follow?: boolean;
  request?: string;
  payload?: boolean;
  limit: number;
}

/** Only rows after this one. */
export function after(last: LogRow | undefined): Pick<LogFilter, 'before'> {
  return last ? { before: { startedAt: last.startedAt, requestId: last.requestId } } : {};
}

/** The labels of the keys of these rows, for a table. */
export function readKeyNames(
  { accounts }: Stores,
  rows: readonly LogRow[],
  { json }: CommonOptions,
): Promise<RecordNames> {
  return readNames(accounts.directory, json === true ? [] : rows.map(({ keyId }) => keyId));
}
