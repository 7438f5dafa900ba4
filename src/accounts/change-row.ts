import type { StorePorts } from './store-ports.ts';
import { createNotFound } from './read-input.ts';

/** An assignment, with `$` for its value: `label = $`. */
export type ColumnAssignment = readonly [sql: string, value: unknown];

interface ChangedRow {
  table: 'api_key' | 'member' | 'organization' | 'project';
  id: string;
}

const WHERE: Readonly<Record<ChangedRow['table'], string>> = {
  api_key: 'id = $1 AND deleted_at IS NULL',
  member: 'id = $1 AND removed_at IS NULL',
  organization: 'id = $1 AND removed_at IS NULL',
  project: 'id = $1 AND removed_at IS NULL',
};

/** Changes columns of one row in one statement, so that the audit log has one entry; throws `not_found` without the row. */
export async function changeRow(
  { database, onChange }: Pick<StorePorts, 'database' | 'onChange'>,
  { table, id }: ChangedRow,
  assignments: readonly (ColumnAssignment | false)[],
): Promise<void> {
  const given = assignments.filter((each) => each !== false);
  if (given.length === 0) return;
  const changes = given.map(([sql], index) => sql.replace('$', () => `$${index + 2}`));
  const { rowCount } = await database.query({
    text: `UPDATE ${table} SET ${changes.join(', ')} WHERE ${WHERE[table]}`,
    values: [id, ...given.map(([, value]) => value)],
  });
  if (rowCount === 0) throw createNotFound(table === 'api_key' ? 'key' : table);
  onChange(`${table}:${id}`);
}
