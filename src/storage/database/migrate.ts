import { reasonOf } from '#base';
import type { Database, Queryable } from './database.ts';
import type { Migration } from './read-migrations.ts';
import { type Applied, adoptEarlier } from './adopt-earlier.ts';
import { MIGRATION_LOCK } from './advisory-locks.ts';
import { MigrationRefused } from './migration-refused.ts';

const WAIT_FOR_OTHERS = '120s';
const CREATE_TABLE = `
  CREATE TABLE IF NOT EXISTS schema_migration (
    name text PRIMARY KEY,
    checksum text NOT NULL,
    applied_at timestamptz NOT NULL DEFAULT now()
  )`;

/** Recorded as a migration in the target of a move until it is finished: earlier versions refuse to start on it, too. */
export const UNFINISHED_MOVE = '9999_unfinished_move';

/** Applies missing migrations, each in its own transaction; returns the names of those it applied. */
export async function migrate(database: Database, migrations: readonly Migration[]): Promise<string[]> {
  const session = await database.openSession();
  try {
    await session.query({ text: `SET lock_timeout = '${WAIT_FOR_OTHERS}'` });
    await session.query({ text: `SELECT pg_advisory_lock(${MIGRATION_LOCK})` });
    await session.query({ text: `SET client_min_messages = warning` });
    await session.query({ text: CREATE_TABLE });
    const applied = await readApplied(session);
    refuseUnfinishedMove(applied);
    const pending = findPending(await adoptEarlier(session, applied, migrations), migrations);
    for (const migration of pending) await apply(session, migration);
    return pending.map(({ name }) => name);
  } finally {
    await session.close(); // also releases the lock
  }
}

async function readApplied(session: Queryable): Promise<Applied[]> {
  const { rows } = await session.query<Applied>({
    text: 'SELECT name, checksum FROM schema_migration ORDER BY name',
  });
  return rows;
}

function refuseUnfinishedMove(applied: readonly Applied[]): void {
  if (!applied.some(({ name }) => name === UNFINISHED_MOVE)) return;
  throw new MigrationRefused(
    'A move into this database is not finished. Run `npx sluice database move` again, with the same databases.',
  );
}

function findPending(applied: readonly Applied[], migrations: readonly Migration[]): Migration[] {
  const known = new Map(migrations.map((migration) => [migration.name, migration]));
  const strangers = applied.filter(({ name }) => !known.has(name)).map(({ name }) => name);
  if (strangers.length > 0) {
    throw new MigrationRefused(
      `The database is newer than this program: it has ${strangers.join(', ')}, which this version does not know. ` +
        'Start the version that created it, or a later one.',
    );
  }
  for (const { name, checksum } of applied) {
    if (known.get(name)?.checksum === checksum) continue;
    throw new MigrationRefused(
      `The migration ${name} differs from the one this database was created with. ` +
        'Applied migrations must not change: restore the file, and put the change into a new migration.',
    );
  }
  const done = new Set(applied.map(({ name }) => name));
  return migrations.filter(({ name }) => !done.has(name));
}

async function apply(client: Queryable, { name, sql, checksum }: Migration): Promise<void> {
  try {
    await client.query({ text: 'BEGIN' });
    await client.query({ text: sql });
    await client.query({
      text: 'INSERT INTO schema_migration (name, checksum) VALUES ($1, $2)',
      values: [name, checksum],
    });
    await client.query({ text: 'COMMIT' });
  } catch (error) {
    const reason = reasonOf(error);
    throw new Error(`The migration ${name} failed and was rolled back: ${reason}`, { cause: error });
  }
}
