import type { Key, ReactNode } from 'react';
import { Table, Text } from '@mantine/core';

/** A column: its head, and the cell of each row. */
export interface Column<Row> {
  head: string;
  cell: (row: Row) => ReactNode;
  /** A `name` may break anywhere; a `figure` is aligned at the end. */
  kind?: 'name' | 'figure';
  /** A line below the cell. */
  note?: (row: Row) => ReactNode;
  isFailed?: (row: Row) => boolean;
  width?: string;
}

interface DataTableProps<Row> {
  label: string;
  columns: readonly Column<Row>[];
  rows: readonly Row[];
  keyOf: (row: Row, index: number) => Key;
  isChosen?: (row: Row) => boolean;
  /** The width below which it scrolls. */
  miw?: number;
  /** Rows below the others. */
  children?: ReactNode;
}

/** A table that scrolls in itself where the screen is narrow. */
export function DataTable<Row>({ label, columns, rows, keyOf, isChosen, ...rest }: DataTableProps<Row>) {
  const { miw = 640, children } = rest;
  return (
    <Table.ScrollContainer type="native" minWidth={miw} tabIndex={0} role="group" aria-label={label}>
      <Table className="figures">
        <Table.Thead>
          <Table.Tr>
            {columns.map(({ head, kind }) => (
              <Table.Th key={head} className={kind === 'figure' ? 'end' : ''}>
                {head}
              </Table.Th>
            ))}
          </Table.Tr>
        </Table.Thead>
        <Table.Tbody>
          {rows.map((row, index) => (
            <Table.Tr key={keyOf(row, index)} className={isChosen?.(row) === true ? 'chosen' : ''}>
              {columns.map((column) => (
                <Cell key={column.head} column={column} row={row} />
              ))}
            </Table.Tr>
          ))}
          {children}
        </Table.Tbody>
      </Table>
    </Table.ScrollContainer>
  );
}

function Cell<Row>({
  column: { cell, note, kind, isFailed, width },
  row,
}: {
  column: Column<Row>;
  row: Row;
}) {
  const marks = [kind === 'name' && 'name', isFailed?.(row) === true && 'failed'];
  const below = note?.(row);
  return (
    <Table.Td
      className={marks.filter(Boolean).join(' ')}
      {...(kind === 'figure' && { ta: 'end' })}
      {...(width !== undefined && { w: width })}
    >
      {cell(row)}
      {below !== undefined && <Note>{below}</Note>}
    </Table.Td>
  );
}

/** What a name does not say, in a line below it. */
export function Note({ children }: { children: ReactNode }) {
  return (
    <Text size="xs" className="quiet">
      {children}
    </Text>
  );
}
