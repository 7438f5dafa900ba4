import type { Queryable } from './database.ts';

/** The two keys of each advisory lock of this program; the first is shared by all of them. */
export const LOCK_CLASS = 1_397_513_299;
export const DIRECTORY_LOCK_ID = 2;
export const MIGRATION_LOCK_ID = 1;
export const DIRECTORY_LOCK = `${LOCK_CLASS}, ${DIRECTORY_LOCK_ID}`;
export const UPKEEP_LOCK = `${LOCK_CLASS}, 3`;
export const FIRST_RUN_LOCK = `${LOCK_CLASS}, 4`;
export const EXPORT_LOCK = `${LOCK_CLASS}, 5`;
export const MOVE_LOCK = `${LOCK_CLASS}, 6`;

/** Takes one of these locks for a session; false if another session has it. */
export async function tryLock(session: Queryable, lock: string): Promise<boolean> {
  const text = `SELECT pg_try_advisory_lock(${lock}) AS taken`;
  const { rows } = await session.query<{ taken: boolean }>({ text });
  return rows[0]?.taken === true;
}
