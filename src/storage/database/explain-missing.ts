import pg from 'pg';
import { createStoreError } from './store-error.ts';

/** No such schema, table or function. */
const MISSING = /^(?:3F000|42P01|42883)$/;
/** A database that has the tables, where this connection does not find them. */
const IS_HIDDEN = `
  SELECT to_regclass('schema_migration') IS NULL
      AND EXISTS (SELECT FROM pg_class WHERE relname = 'schema_migration' AND relkind = 'r') AS hidden,
    current_setting('search_path') AS path`;

/**
 * A role's or a database's `search_path` may change while the gateway runs, or a schema be renamed: then nothing is found on
 * this connection, which is no fault of the statement. Returns the error to throw instead.
 */
export async function explainMissing(client: pg.ClientBase, error: unknown): Promise<unknown> {
  if (!(error instanceof pg.DatabaseError) || !MISSING.test(error.code ?? '')) return error;
  const [row] = await client.query<{ hidden: boolean; path: string }>(IS_HIDDEN).then(
    ({ rows }) => rows,
    () => [],
  );
  if (row?.hidden !== true) return error;
  return createStoreError(
    `the search_path of the database (${row.path}) does not lead to its tables: ${error.message}`,
    error,
  );
}
