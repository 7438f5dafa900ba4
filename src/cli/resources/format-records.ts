import type { Resource, ShownFields } from '#app';
import { formatTime, formatUsd } from '#base';
import { formatTable } from '../terminal/table.ts';

/** A list as people read it. */
export function formatRecords({ fields, commands }: Resource, records: readonly object[]): string[] {
  const { columns, empty } = commands;
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

function formatCell(fields: ShownFields, name: string, value: unknown): string {
  if (value === undefined || value === null) return '–';
  if (typeof value === 'bigint') return formatUsd(value);
  if (fields[name]?.typed === 'time') return formatTime(value as number);
  return Array.isArray(value) ? value.join(' ') : (value as { toString(): string }).toString();
}
