import type { Database } from '#storage';

const OLDEST = 15;

/** The major version of the PostgreSQL behind a connection. */
export async function readServerVersion(database: Database): Promise<number> {
  const { rows } = await database.query<{ version: string }>({
    text: `SELECT current_setting('server_version_num') AS version`,
  });
  return Math.floor(Number(rows[0]?.version ?? 0) / 10_000);
}

export async function refuseOldServer(database: Database): Promise<void> {
  const version = await readServerVersion(database);
  if (version < OLDEST)
    throw new Error(
      `the database is PostgreSQL ${version}; Sluice needs ${OLDEST} or newer: upgrade it, or use another database`,
    );
}
