import type { Database, Queryable, Session } from '../database/database.ts';
import { setTimeout as sleep } from 'node:timers/promises';
import { DIRECTORY_LOCK, DIRECTORY_LOCK_ID, LOCK_CLASS, tryLock } from '../database/advisory-locks.ts';
import { isAlive } from './postmaster.ts';

/** The lock on a data directory; it ensures a single gateway. */
interface DirectoryLock {
  release(): Promise<void>;
}

interface DirectoryLockOptions {
  /** Called if the lock was lost with its connection and another process took it; it is still retried. */
  onLost?(error: DirectoryTaken): void;
}

/** Another gateway is running with this data directory. */
export class DirectoryTaken extends Error {
  constructor(holder: number | undefined) {
    super(
      `Another Sluice${holder === undefined ? '' : ` (process ${holder})`} is running with this data directory. ` +
        'Stop it first, or give this one a data directory of its own with --data-dir.',
    );
    this.name = 'DirectoryTaken';
  }
}

const NAME = 'sluice-gateway';
const FIND_HOLDER = `
  SELECT activity.application_name AS name
  FROM pg_locks AS held JOIN pg_stat_activity AS activity USING (pid)
  WHERE held.locktype = 'advisory' AND held.classid::bigint = ${LOCK_CLASS}
    AND held.objid::bigint = ${DIRECTORY_LOCK_ID} AND held.objsubid = 2 AND held.granted`;

const RETRY_MS = 50;
/** How long the server may take to notice that a killed gateway's connection is gone. */
const LEAVING_MS = 3_000;
const RESTART_MS = 3_000;
const REGAIN_EVERY_MS = 1_000;

/** Takes the lock on a connection of its own, and takes it again whenever that connection was lost. */
export async function acquireDirectoryLock(
  database: Database,
  { onLost }: DirectoryLockOptions = {},
): Promise<DirectoryLock> {
  const stop = new AbortController();
  let session = await takeFirst(database);
  const keep = async (): Promise<void> => {
    for (;;) {
      await new Promise<void>((resolve) => session.onEnd(resolve));
      const next = await reacquire(database, { stop: stop.signal, onLost });
      if (next === undefined) return;
      session = next;
    }
  };
  const kept = keep();
  return {
    release: async () => {
      stop.abort();
      await session.close();
      await kept;
    },
  };
}

/** Whether a running gateway other than this process holds the lock. */
export async function isDirectoryTaken(database: Queryable): Promise<boolean> {
  return !isLeaving(await findHolder(database));
}

/** An adopted server may be shutting down with its previous gateway; it is restarted in a moment. */
async function takeFirst(database: Database): Promise<Session> {
  const deadline = performance.now() + RESTART_MS;
  for (;;) {
    try {
      return await take(database);
    } catch (error) {
      if (error instanceof DirectoryTaken || performance.now() > deadline) throw error;
      await sleep(RETRY_MS);
    }
  }
}

async function take(database: Database): Promise<Session> {
  const session = await database.openSession(`${NAME}:${process.pid}`);
  try {
    const deadline = performance.now() + LEAVING_MS;
    while (!(await tryLock(session, DIRECTORY_LOCK))) {
      const holder = await findHolder(session);
      if (!isLeaving(holder) || performance.now() > deadline) throw new DirectoryTaken(holder?.pid);
      await sleep(RETRY_MS);
    }
    return session;
  } catch (error) {
    await session.close();
    throw error;
  }
}

/** The holder of the lock, with its process id if known. */
async function findHolder(session: Queryable): Promise<{ pid?: number } | undefined> {
  const { rows } = await session.query<{ name: string }>({ text: FIND_HOLDER });
  if (rows[0] === undefined) return undefined;
  const pid = Number(rows[0].name.slice(NAME.length + 1));
  return Number.isSafeInteger(pid) && pid > 0 ? { pid } : {};
}

/** Whether the lock is about to be free: it is already, its process is gone, or its connection was our own lost one. */
function isLeaving(holder: { pid?: number } | undefined): boolean {
  if (holder === undefined || holder.pid === process.pid) return true;
  return holder.pid !== undefined && !isAlive(holder.pid);
}

/** Retries until it succeeds; `undefined` once stopped. */
async function reacquire(
  database: Database,
  { stop, onLost }: { stop: AbortSignal; onLost: DirectoryLockOptions['onLost'] },
): Promise<Session | undefined> {
  let isReported = false;
  for (let waitMs = RETRY_MS; ; waitMs = Math.min(2 * waitMs, REGAIN_EVERY_MS)) {
    const outcome: unknown = stop.aborted ? undefined : await take(database).catch((error: unknown) => error);
    if (isSession(outcome) && !stop.aborted) return outcome;
    if (isSession(outcome)) await outcome.close();
    if (stop.aborted) return undefined;
    if (outcome instanceof DirectoryTaken && !isReported) {
      isReported = true;
      onLost?.(outcome);
    }
    await sleep(waitMs, undefined, { signal: stop, ref: false }).catch(() => undefined);
  }
}

function isSession(outcome: unknown): outcome is Session {
  return typeof outcome === 'object' && outcome !== null && 'onEnd' in outcome;
}
