import type pg from 'pg';
import type { QueryResult, Statement } from './database.ts';
import { toStoreError } from './store-error.ts';

/** Runs one statement on a connection; the row type is not checked. */
export async function runStatement<Row>(
  client: Pick<pg.ClientBase, 'query'>,
  statement: Statement,
): Promise<QueryResult<Row>> {
  try {
    const { rows, rowCount } = await client.query(statement as pg.QueryConfig);
    return { rows: rows as Row[], rowCount: rowCount ?? 0 };
  } catch (error) {
    throw toStoreError(error);
  }
}
