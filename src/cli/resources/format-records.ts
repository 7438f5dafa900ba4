import type { Columns, OutputFields, RecordNames } from '#fields';
import { formatTime, formatUsd } from '#base';
import { formatTable } from '../terminal/table.ts';

interface Listing {
  columns: Columns;
  /** Printed for an empty list. */
  empty: string;
  fields: OutputFields;
  /** Columns that are omitted if all records have the same value. */
  distinguishing?: readonly string[];
  names?: RecordNames;
}

/** Members whose values are ids of other records. */
const NAMED: ReadonlySet<string> = new Set(['organizationId', 'projectId', 'keyId', 'memberId', 'subjectId']);

/** The ids of other records in the columns of a list. */
export function listNamed(columns: Columns, records: readonly object[]): string[] {
  const members = Object.values(columns).filter((cell) => typeof cell === 'string' && NAMED.has(cell));
  return records
    .flatMap((record) => members.map((member) => Reflect.get(record, member as string) as unknown))
    .filter((id) => typeof id === 'string');
}

/** A list as a table. */
export function formatRecords(listing: Listing, records: readonly object[]): string[] {
  const { columns, empty, distinguishing = [] } = listing;
  if (records.length === 0) return [empty];
  const shown = Object.entries(columns)
    .map(([heading, cell]) => ({
      heading,
      cells: records.map((record) => formatCell(listing, cell, record)),
    }))
    .filter(({ heading, cells }) => !distinguishing.includes(heading) || new Set(cells).size > 1);
  return formatTable(
    shown.map(({ heading }) => heading),
    records.map((_, index) => shown.map(({ cells }) => cells[index] ?? '')),
  );
}

function formatCell({ fields, names }: Listing, cell: Columns[string], record: object): string {
  if (typeof cell !== 'string') return cell(record);
  const value = (record as { [name: string]: unknown })[cell];
  if (names && typeof value === 'string' && NAMED.has(cell)) return names.show(value);
  return formatValue(fields, cell, value);
}

function formatValue(fields: OutputFields, name: string, value: unknown): string {
  if (value === undefined || value === null) return '–';
  if (typeof value === 'bigint') return formatUsd(value);
  if (fields[name]?.valueKind === 'time') return formatTime(value as number);
  return Array.isArray(value) ? value.join(' ') : (value as { toString(): string }).toString();
}
