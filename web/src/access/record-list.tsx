import { Table, Text, TextInput } from '@mantine/core';
import { Link } from '@tanstack/react-router';
import type { ReactNode } from 'react';
import { Paged } from '../parts/lists/paged.tsx';
import type { Records } from '../parts/lists/records.ts';
import { Section } from '../parts/section.tsx';
import { Empty } from '../parts/state.tsx';
import type { Part } from './access-search.ts';

export interface Column<Shown> {
  name: string;
  /** Whether a small screen leaves it out. */
  isWide?: boolean;
  /** Whether its texts are too short to be broken. */
  isShort?: boolean;
  isFigure?: boolean;
  cell(record: Shown): ReactNode;
}

interface RecordTableProps<Shown> {
  label: string;
  columns: readonly Column<Shown>[];
  records: readonly Shown[];
}

/** A table of which a small screen shows the most important columns. */
function RecordTable<Shown extends { id: string }>({ label, columns, records }: RecordTableProps<Shown>) {
  const isNarrow = (column: Column<Shown>) => column.isWide === true && { visibleFrom: 'sm' as const };
  return (
    <Table className="figures records" aria-label={label}>
      <Table.Thead>
        <Table.Tr>
          {columns.map((column) => (
            <Table.Th
              key={column.name}
              className={column.isFigure === true ? 'end' : ''}
              {...isNarrow(column)}
            >
              {column.name}
            </Table.Th>
          ))}
        </Table.Tr>
      </Table.Thead>
      <Table.Tbody>
        {records.map((record) => (
          <Table.Tr key={record.id}>
            {columns.map((column) => (
              <Table.Td
                key={column.name}
                className={[column.isShort === true && 'short', column.isFigure === true && 'end']
                  .filter(Boolean)
                  .join(' ')}
                {...isNarrow(column)}
              >
                {column.cell(record)}
              </Table.Td>
            ))}
          </Table.Tr>
        ))}
      </Table.Tbody>
    </Table>
  );
}

/** So many records are found without a search. */
const FEW = 10;

interface RecordListProps<Shown> {
  title: string;
  /** What the records are called, in the plural. */
  what: string;
  list: Records<Shown>;
  columns: readonly Column<Shown>[];
  action?: ReactNode;
  /** What an empty list means and what to do about it. */
  empty: { title: string; advice: string };
  /** Where the gateway can search the list for a name. */
  search?: { text: string; set(text: string): void };
  children?: ReactNode;
}

/** A section with a list: while it loads, if it fails, if it is empty, and page by page. */
export function RecordList<Shown extends { id: string }>(props: RecordListProps<Shown>) {
  const { title, what, list, columns, action, empty, search, children } = props;
  const { records, more } = list;
  const isSearched = search !== undefined && search.text !== '';
  return (
    <Section title={title} action={action}>
      {children}
      {search && (isSearched || more || (records?.length ?? 0) > FEW) && (
        <TextInput
          type="search"
          label={`Find ${what} by name`}
          mb="sm"
          maw={360}
          value={search.text}
          onChange={({ currentTarget }) => search.set(currentTarget.value)}
        />
      )}
      <Paged
        list={list}
        what={what}
        empty={
          isSearched ? (
            <Empty title={`No ${what} with this name`} />
          ) : (
            <Empty title={empty.title}>{empty.advice}</Empty>
          )
        }
      >
        {(shown) => <RecordTable label={title} columns={columns} records={shown} />}
      </Paged>
    </Section>
  );
}

interface RecordNameProps {
  id: string;
  name: string;
  about?: ReactNode;
  /** Where its page is, if not here. */
  part?: Part;
}

/** The name of a record, which leads to its page, and a quiet line below. */
export function RecordName({ id, name, about, part }: RecordNameProps) {
  return (
    <>
      <Link from="/access" to="/access" search={(search) => ({ ...search, ...(part && { part }), open: id })}>
        {name}
      </Link>
      {about !== undefined && (
        <Text size="xs" className="quiet">
          {about}
        </Text>
      )}
    </>
  );
}
