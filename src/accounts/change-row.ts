import type { RecordTable } from './records.ts';
import type { StorePorts } from './store-ports.ts';
import { createNotFound } from './read-input.ts';

/** An assignment, with `$` for its value: `label = $`. */
export type ColumnAssignment = readonly [sql: string, value: unknown];

interface ChangedRow extends Pick<RecordTable<object>, 'what' | 'table' | 'alias' | 'where'> {
  id: string;
}

/** Changes columns of one row in one statement, so that the audit log has one entry; throws `not_found` without the row. */
export async function changeRow(
  { database, onChange }: Pick<StorePorts, 'database' | 'onChange'>,
  { what, table, alias, where = 'true', id }: ChangedRow,
  assignments: readonly (ColumnAssignment | false)[],
): Promise<void> {
  const given = assignments.filter((each) => each !== false);
  if (given.length === 0) return;
  const changes = given.map(([sql], index) => sql.replace('$', () => `$${index + 2}`));
  const { rowCount } = await database.query({
    text: `UPDATE ${table} SET ${changes.join(', ')} WHERE ${alias}.id = $1 AND ${where}`,
    values: [id, ...given.map(([, value]) => value)],
  });
  if (rowCount === 0) throw createNotFound(what);
  onChange(`${table.replace(/ .*/, '')}:${id}`);
}
