import { formatUsd } from '#base';

/** The columns of a list by their headings. */
export type Columns<Thing = unknown, Member extends string = string> = Readonly<{
  [heading: string]: Cell<Thing, Member>;
}>;

/** A member of the record, or a function of it. */
type Cell<Thing, Member> = Member | { make(record: Thing): string }['make'];

/** A table of a terminal. */
export interface TextTable {
  heading: readonly string[];
  rows: readonly (readonly string[])[];
}

/** Rows as a table; `–` for what is absent. */
export function tableOf<Row extends object>(
  columns: Columns<Row, keyof Row & string>,
  rows: readonly Row[],
): TextTable {
  const cells = Object.values(columns);
  return {
    heading: Object.keys(columns),
    rows: rows.map((row) =>
      cells.map((cell) => (typeof cell === 'string' ? formatCell(row[cell]) : cell(row))),
    ),
  };
}

function formatCell(value: unknown): string {
  if (value === undefined || value === null) return '–';
  return typeof value === 'bigint' ? formatUsd(value) : (value as { toString(): string }).toString();
}
