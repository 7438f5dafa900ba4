import { detailOf } from '#errors';
import type { Database, Queryable, Statement } from './database.ts';
import { type Migration, digestFunctions } from './read-migrations.ts';
import { type AppliedMigration, isBefore02, toCurrentSteps } from './current-steps.ts';
import { MIGRATION_LOCK } from './advisory-locks.ts';
import { MigrationRefused } from './migration-refused.ts';

const WAIT_FOR_OTHERS = '120s';
const CREATE_TABLE = `
  CREATE TABLE IF NOT EXISTS schema_migration (
    name text PRIMARY KEY,
    checksum text NOT NULL,
    applied_at timestamptz NOT NULL DEFAULT now(),
    functions text -- beside the last migration: the digest of the functions that the database has
  )`;
/** Earlier versions created the table without it. Only with a change: the lock would make every start wait for a backup. */
const ADD_FUNCTIONS = 'ALTER TABLE schema_migration ADD COLUMN IF NOT EXISTS functions text';

/** Recorded as a migration in the target of a move until it is finished: earlier versions refuse to start on it, too. */
export const UNFINISHED_MOVE = '9999_unfinished_move';

/** Applies missing migrations, each in its own transaction, then the functions of all; returns the names of those it applied. */
export async function migrate(database: Database, migrations: readonly Migration[]): Promise<string[]> {
  const session = await database.openSession();
  try {
    await session.query({ text: `SET lock_timeout = '${WAIT_FOR_OTHERS}'` });
    await session.query({ text: `SELECT pg_advisory_lock(${MIGRATION_LOCK})` });
    await session.query({ text: `SET client_min_messages = warning` });
    await session.query({ text: 'SET check_function_bodies = off' }); // they may name what later migrations create
    await session.query({ text: CREATE_TABLE });
    const applied = await readApplied(session);
    refuseUnfinishedMove(applied);
    refuseEarlier(applied, migrations);
    const pending = findPending(toCurrentSteps(applied, migrations), migrations);
    for (const migration of pending) await apply(session, migration);
    await replaceFunctions(session, migrations);
    return pending.map(({ name }) => name);
  } finally {
    await session.close(); // also releases the lock
  }
}

async function readApplied(session: Queryable): Promise<AppliedMigration[]> {
  const { rows } = await session.query<AppliedMigration>({
    text: 'SELECT name, checksum FROM schema_migration ORDER BY name',
  });
  return rows;
}

function refuseUnfinishedMove(applied: readonly AppliedMigration[]): void {
  if (!applied.some(({ name }) => name === UNFINISHED_MOVE)) return;
  throw new MigrationRefused(
    'A move into this database is not finished. Run `npx sluice database move` again, with the same databases.',
  );
}

function refuseEarlier(applied: readonly AppliedMigration[], migrations: readonly Migration[]): void {
  if (!isBefore02(applied, migrations)) return;
  throw new MigrationRefused(
    `The database was created by a version before 0.2, and its last migration is ${applied.at(-1)?.name ?? 'none'}. ` +
      'Nothing was changed. Start 0.2.0 on it once, then this version.',
  );
}

function findPending(applied: readonly AppliedMigration[], migrations: readonly Migration[]): Migration[] {
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
  await inTransaction(client, `The migration ${name}`, [
    { text: sql },
    { text: 'INSERT INTO schema_migration (name, checksum) VALUES ($1, $2)', values: [name, checksum] },
  ]);
}

/** Once after each migration, so that an earlier version, which does not know the last one, never puts its own back. */
async function replaceFunctions(client: Queryable, migrations: readonly Migration[]): Promise<void> {
  const name = migrations.at(-1)?.name;
  const functions = migrations.flatMap((migration) => migration.functions);
  const digest = digestFunctions(migrations);
  const { rows } = await client.query<{ functions: string | null }>({
    text: `SELECT to_jsonb(m) ->> 'functions' AS functions FROM schema_migration AS m WHERE name = $1`,
    values: [name],
  });
  const [last] = rows;
  if (!last || last.functions === digest || functions.length === 0) return;
  if (last.functions !== null)
    throw new MigrationRefused(
      `The functions of the database are others than those after ${name ?? ''}. ` +
        'A function changes with a migration: add one, which may be a comment that says why.',
    );
  await inTransaction(client, 'Replacing the functions of the database', [
    { text: ADD_FUNCTIONS },
    ...functions.map((text) => ({ text })),
    { text: 'UPDATE schema_migration SET functions = $2 WHERE name = $1', values: [name, digest] },
  ]);
}

async function inTransaction(client: Queryable, what: string, queries: readonly Statement[]): Promise<void> {
  try {
    await client.query({ text: 'BEGIN' });
    for (const query of queries) await client.query(query);
    await client.query({ text: 'COMMIT' });
  } catch (error) {
    throw new Error(`${what} failed and was rolled back: ${detailOf(error)}`, { cause: error });
  }
}
