import type { Log } from '#telemetry';
import { setTimeout as sleep } from 'node:timers/promises';
import pg from 'pg';
import { systemClock } from '#base';
import { detailOf } from '#errors';
import type { Database, Queryable, Statement } from './database.ts';
import { type Migration, digestFunctions } from './read-migrations.ts';
import { type AppliedMigration, isBefore02, toCurrentSteps } from './current-steps.ts';
import { LOCK_CLASS, MIGRATION_LOCK_ID } from './advisory-locks.ts';
import { MigrationRefused } from './migration-refused.ts';

const WAIT_FOR_OTHERS_S = 120;
const POLL_MS = 100;
const TRY_LOCK = `SELECT pg_try_advisory_lock(${LOCK_CLASS}, ${MIGRATION_LOCK_ID}) AS free`;
const FIND_HOLDER = `
  SELECT a.pid, concat_ws(', ', NULLIF(a.application_name, ''), a.client_addr) AS session
  FROM pg_locks l JOIN pg_stat_activity a ON a.pid = l.pid
  WHERE l.locktype = 'advisory' AND l.granted AND l.classid = ${LOCK_CLASS} AND l.objid = ${MIGRATION_LOCK_ID}
    AND l.database = (SELECT oid FROM pg_database WHERE datname = current_database())`;
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

interface Waiting {
  /** Receives which session it waits for. */
  log?: Log;
  /** Ends the wait. */
  signal?: AbortSignal | undefined;
}

const DUPLICATE_TABLE = '42P07';

/** Applies missing migrations, each in its own transaction, then the functions of all; returns the names of those it applied. */
export async function migrate(
  database: Database,
  migrations: readonly Migration[],
  waiting: Waiting = {},
): Promise<string[]> {
  const session = await database.openSession();
  try {
    await session.query({ text: `SET lock_timeout = '${WAIT_FOR_OTHERS_S}s'` });
    await lock(session, waiting);
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

/** Polls instead of waiting at the server, which would not notice that this process has left. */
async function lock(session: Queryable, { log, signal }: Waiting): Promise<void> {
  const isFree = async () =>
    (await session.query<{ free: boolean }>({ text: TRY_LOCK })).rows[0]?.free === true;
  if (await isFree()) return;
  const { rows } = await session.query<{ pid: number; session: string }>({ text: FIND_HOLDER });
  const holder = rows[0] ?? { pid: undefined, session: 'unknown' };
  log?.warn({ ...holder }, 'another session migrates the database; waiting until it has finished');
  const untilMs = systemClock.monotonicMs() + WAIT_FOR_OTHERS_S * 1_000;
  while (systemClock.monotonicMs() < untilMs) {
    await sleep(POLL_MS, undefined, { signal }).catch(() => signal?.throwIfAborted());
    if (await isFree()) return;
  }
  throw new MigrationRefused(
    `Another session (pid ${holder.pid}: ${holder.session}) has been migrating the database for ${WAIT_FOR_OTHERS_S} seconds. ` +
      'Wait until it has finished, or end it with pg_terminate_backend(pid), and start again.',
  );
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
    const isStrange = error instanceof pg.DatabaseError && error.code === DUPLICATE_TABLE;
    const advice = isStrange ? '; another program uses the database: give Sluice one of its own' : '';
    throw new Error(`${what} failed and was rolled back: ${detailOf(error)}${advice}`, { cause: error });
  }
}
