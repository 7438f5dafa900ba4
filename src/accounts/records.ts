import type { Queryable, RecordType, Statement } from '#storage';
import { type Filters, type ListSpec, type Page, composeList } from './page.ts';
import { createNotFound } from './read-input.ts';

/** A listed table, and the type of its rows. */
export interface RecordTable<Record extends object> extends Omit<ListSpec, 'select' | 'values' | 'filters'> {
  /** As `not_found` names one. */
  what: string;
  type: RecordType<Record>;
  /** The table with its alias. */
  table: string;
  /** The table, joined with what columns and filters are from; `table` by default. */
  from?: string;
  /** What holds for all of them. */
  where?: string;
}

/** The reads of a table. `values` are the parameters of `from` and `where`. */
interface Records<Record> {
  list(filters: Filters, page?: Page, values?: readonly unknown[]): Promise<Record[]>;
  /** Throws `not_found`. */
  get(id: string, values?: readonly unknown[]): Promise<Record>;
  /** The record that a statement returns; without it, throws what `refuse` creates, by default `not_found`. */
  change(statement: Statement, refuse?: () => Error): Promise<Record>;
}

export function createRecords<Record extends object>(
  database: Queryable,
  { what, type, table, from = table, where = 'true', ...spec }: RecordTable<Record>,
): Records<Record> {
  const select = `SELECT ${type.columns} FROM ${from} WHERE ${where}`;
  const change: Records<Record>['change'] = async (statement, refuse = () => createNotFound(what)) => {
    const { rows } = await database.query<object>(statement);
    if (!rows[0]) throw refuse();
    return type.read(rows[0]);
  };
  return {
    list: async (filters, page = {}, values = []) => {
      const statement = composeList({ ...spec, table: from, select, filters, values }, page);
      const { rows } = await database.query<object>(statement);
      return rows.map((row) => type.read(row));
    },
    get: (id, values = []) =>
      change({ text: `${select} AND ${spec.alias}.id = $${values.length + 1}`, values: [...values, id] }),
    change,
  };
}
