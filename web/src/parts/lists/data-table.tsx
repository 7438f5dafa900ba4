import type { Key, ReactNode } from 'react';
import { Table, Text } from '@mantine/core';
import { useNarrow } from './use-narrow.ts';

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

/**
 * A table that scrolls in itself where it is wider than the screen; on a narrow screen each row is a paragraph, in which cells
 * are named, so that amounts at the end are in sight.
 */
export function DataTable<Row>({ label, miw = 640, ...rest }: DataTableProps<Row>) {
  const isStacked = useNarrow();
  return (
    // One element for both: what a cell has done stays as the screen turns.
    <Table.ScrollContainer
      type="native"
      minWidth={isStacked ? 0 : miw}
      {...(!isStacked && { tabIndex: 0 })}
      role="group"
      aria-label={label}
    >
      <Body {...rest} isStacked={isStacked} />
    </Table.ScrollContainer>
  );
}

type BodyProps<Row> = Omit<DataTableProps<Row>, 'label' | 'miw'> & { isStacked: boolean };

/** Elements of a table that is styled as paragraphs have no roles for browsers, unless they are named. */
const nameRole = (isStacked: boolean, role: string) => (isStacked ? { role } : {});

function Body<Row>({ columns, rows, keyOf, isChosen, children, isStacked }: BodyProps<Row>) {
  return (
    <Table className={`figures ${isStacked ? 'stacked' : ''}`} {...nameRole(isStacked, 'table')}>
      <Table.Thead {...nameRole(isStacked, 'rowgroup')}>
        <Table.Tr {...nameRole(isStacked, 'row')}>
          {columns.map(({ head, kind }) => (
            <Table.Th
              key={head}
              {...nameRole(isStacked, 'columnheader')}
              className={kind === 'figure' ? 'end' : ''}
            >
              {head}
            </Table.Th>
          ))}
        </Table.Tr>
      </Table.Thead>
      <Table.Tbody {...nameRole(isStacked, 'rowgroup')}>
        {rows.map((row, index) => (
          <Table.Tr
            key={keyOf(row, index)}
            {...nameRole(isStacked, 'row')}
            className={isChosen?.(row) === true ? 'chosen' : ''}
          >
            {columns.map((column) => (
              <Cell key={column.head} column={column} row={row} isStacked={isStacked} />
            ))}
          </Table.Tr>
        ))}
        {children}
      </Table.Tbody>
    </Table>
  );
}

function Cell<Row>({
  column: { head, cell, note, kind, isFailed, width },
  row,
  isStacked,
}: {
  column: Column<Row>;
  row: Row;
  isStacked: boolean;
}) {
  const marks = [kind, isFailed?.(row) === true && 'failed'];
  const below = note?.(row);
  return (
    <Table.Td
      {...nameRole(isStacked, 'cell')}
      data-head={head}
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
