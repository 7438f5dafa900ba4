import type { Database, Session } from '#storage';

/** Index scans, and rows and index entries that they and scans of tables return. */
const READS = `
  SELECT COALESCE(sum(pg_stat_get_xact_numscans(oid) + pg_stat_get_xact_tuples_returned(oid)), 0)::int AS count
  FROM pg_class WHERE relkind IN ('r', 'i') AND relnamespace = 'public'::regnamespace`;

/** What work reads of tables and indexes, in a transaction that is rolled back, and what it returns. */
export async function countReads<Result>(
  database: Database,
  work: (session: Session) => Promise<Result>,
): Promise<{ reads: number; value: Result }> {
  const session = await database.openSession();
  const count = async (): Promise<number> => {
    const { rows } = await session.query<{ count: number }>({ text: READS });
    return rows[0]?.count ?? 0;
  };
  try {
    await session.query({ text: 'BEGIN' });
    const before = await count();
    const value = await work(session);
    const reads = (await count()) - before;
    await session.query({ text: 'ROLLBACK' });
    return { reads, value };
  } finally {
    await session.close();
  }
}

/** Deletes the rows of a table; its statistics are then those of an empty one, and its pages stay. */
export async function emptyTable(database: Database, table: string): Promise<void> {
  await database.query({ text: `DELETE FROM ${table}` });
  await database.query({ text: `VACUUM (ANALYZE, TRUNCATE off) ${table}` });
}
