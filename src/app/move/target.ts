import {
  MOVE_LOCK,
  type Migration,
  type Queryable,
  UNFINISHED_MOVE,
  migrate,
  toCurrentSteps,
} from '#storage';
import { refuseRows } from '../backup/empty-database.ts';
import { readAppliedMigrations } from '../backup/schema-state.ts';
import { listTables } from '../backup/table.ts';
import type { Side } from './side.ts';

/** How far the large tables of an unfinished move have come: the first block that has not been copied. */
const PROGRESS = `CREATE TABLE IF NOT EXISTS move_progress (relation text PRIMARY KEY, next_block bigint NOT NULL)`;

/** Prepares an empty database, or one with an unfinished move of the same installation; returns whether it is one. */
export async function prepareTarget(
  target: Side,
  { installationId, steps }: { installationId: string; steps: readonly Migration[] },
): Promise<boolean> {
  const { session, database, name } = target;
  await session.query({ text: `SET lock_timeout = '60s'` });
  // A killed move may still be ending in the server.
  await session.query({ text: `SELECT pg_advisory_lock(${MOVE_LOCK})` });
  const applied = (await readAppliedMigrations(session)) ?? [];
  const unfinished = applied.find((one) => one.name === UNFINISHED_MOVE);
  if (unfinished && unfinished.checksum !== installationId)
    throw new Error(`${name} holds the unfinished move of another installation; move to an empty database`);
  if (unfinished) return true;
  const known = new Set(steps.map(({ checksum }) => checksum));
  if (!toCurrentSteps(applied, steps).every(({ checksum }) => known.has(checksum)))
    throw new Error(`${name} is not empty: it has tables of another version; move to an empty database`);
  await migrate(database, steps);
  await refuseRows(session, await listTables(session));
  await session.query({ text: 'BEGIN' });
  await session.query({ text: PROGRESS });
  // Until the move is finished, every version refuses to start on it.
  await session.query({
    text: 'INSERT INTO schema_migration (name, checksum) VALUES ($1, $2)',
    values: [UNFINISHED_MOVE, installationId],
  });
  await session.query({ text: 'COMMIT' });
  return false;
}

export async function readProgress(session: Queryable, relation: string): Promise<number> {
  const { rows } = await session.query<{ next: bigint }>({
    text: 'SELECT next_block AS next FROM move_progress WHERE relation = $1',
    values: [relation],
  });
  return Number(rows[0]?.next ?? 0);
}

export async function recordProgress(session: Queryable, relation: string, nextBlock: number): Promise<void> {
  await session.query({
    text: `INSERT INTO move_progress VALUES ($1, $2) ON CONFLICT (relation) DO UPDATE SET next_block = EXCLUDED.next_block`,
    values: [relation, nextBlock],
  });
}

/** The target becomes a database like any other. */
export async function finishTarget(session: Queryable): Promise<void> {
  await session.query({ text: 'DROP TABLE move_progress' });
  await session.query({
    text: 'DELETE FROM schema_migration WHERE name = $1',
    values: [UNFINISHED_MOVE],
  });
}

/** Empties tables that have to be copied again, partitions by the names of `leaves`. */
export async function emptyTables(
  session: Queryable,
  tables: readonly { name: string; leaves: readonly { name: string }[] }[],
): Promise<void> {
  await session.query({ text: 'BEGIN' });
  for (const { name, leaves } of tables) {
    await session.query({ text: `ALTER TABLE ${name} DISABLE TRIGGER USER` });
    await session.query({ text: `TRUNCATE ${name}` });
    await session.query({ text: `ALTER TABLE ${name} ENABLE TRIGGER USER` });
    const values = [leaves.map((leaf) => leaf.name)];
    await session.query({ text: 'DELETE FROM move_progress WHERE relation = ANY ($1)', values });
  }
  await session.query({ text: 'COMMIT' });
}
