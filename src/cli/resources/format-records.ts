import type { Columns, OutputFields } from '#app';
import { formatTime, formatUsd } from '#base';
import { formatTable } from '../terminal/table.ts';

interface Listing {
  columns: Columns;
  /** Printed for an empty list. */
  empty: string;
  fields: OutputFields;
}

/** A list as a table. */
export function formatRecords({ columns, empty, fields }: Listing, records: readonly object[]): string[] {
  if (records.length === 0) return [empty];
  return formatTable(
    Object.keys(columns),
    records.map((record) =>
      Object.values(columns).map((cell) =>
        typeof cell === 'string'
          ? formatCell(fields, cell, (record as { [name: string]: unknown })[cell])
          : cell(record),
      ),
    ),
  );
}

function formatCell(fields: OutputFields, name: string, value: unknown): string {
  if (value === undefined || value === null) return '–';
  if (typeof value === 'bigint') return formatUsd(value);
  if (fields[name]?.valueKind === 'time') return formatTime(value as number);
  return Array.isArray(value) ? value.join(' ') : (value as { toString(): string }).toString();
}
