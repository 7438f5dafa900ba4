import pg from 'pg';
import { createStoreError } from './store-error.ts';

/** No such schema, table or function. */
const MISSING = /^(?:3F000|42P01|42883)$/;
const FIND_SCHEMA = `SELECT to_regclass('schema_migration') IS NOT NULL AS found, current_setting('search_path') AS path`;

/**
 * A role's or a database's `search_path` may change while the gateway runs, or a schema be renamed: then nothing is found on
 * this connection, which is no fault of the statement. Returns the error to throw instead.
 */
export async function explainMissing(client: pg.ClientBase, error: unknown): Promise<unknown> {
  if (!(error instanceof pg.DatabaseError) || !MISSING.test(error.code ?? '')) return error;
  const [row] = await client.query<{ found: boolean; path: string }>(FIND_SCHEMA).then(
    ({ rows }) => rows,
    () => [],
  );
  if (row === undefined || row.found) return error;
  return createStoreError(
    `the search_path of the database (${row.path}) does not lead to its tables: ${error.message}`,
    error,
  );
}
