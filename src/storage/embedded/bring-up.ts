import type { SocketConnection } from '../database/connection-options.ts';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import pg from 'pg';
import { openSession } from '../database/session.ts';
import { DATABASE, ROLE } from './cluster.ts';
import { type Launch, type LaunchPlan, PORT, launchServer } from './launch.ts';
import { pickFault } from './pick-fault.ts';
import { findPostmaster, removeStalePidFile, removeStaleSocketLock } from './postmaster.ts';

/** Everything needed to start a server repeatedly. */
export interface Installation extends LaunchPlan {
  password: string;
  openSocketFolder(): Promise<string>;
}

export interface RunningServer {
  pid: number;
  connection: SocketConnection;
  /** Whether it was running before. */
  adopted: boolean;
}

const LIMIT_MS = 60_000;
const POLL_MS = 10;
const PAUSE_MS = 100;

/** Matches errors of a cluster still in use by another server or its remains; it frees itself with time. */
const OCCUPIED = /lock file "[^"]*" already exists|is still in use|is another postmaster/;

/** Adopts the server of a cluster, or starts it; resolves once it takes connections. */
export async function bringUp(installation: Installation, signal?: AbortSignal): Promise<RunningServer> {
  const { cluster } = installation.home;
  const deadline = performance.now() + LIMIT_MS;
  let launch: Launch | undefined;
  while (performance.now() < deadline) {
    if (signal?.aborted) {
      stopLaunch(launch);
      signal.throwIfAborted();
    }
    const postmaster = findPostmaster(cluster);
    if (postmaster?.isReady) {
      const connection = toConnection(installation, postmaster.socketFolder);
      if (await answers(connection)) {
        return { pid: postmaster.pid, connection, adopted: postmaster.pid !== launch?.pid };
      }
    } else if (!postmaster && launch?.hasExited !== false) {
      if (launch) await judgeExit(launch);
      const socketFolder = await installation.openSocketFolder();
      removeStalePidFile(cluster);
      removeStaleSocketLock(join(socketFolder, `.s.PGSQL.${PORT}.lock`), cluster);
      launch = launchServer(installation, socketFolder);
    }
    await sleep(POLL_MS);
  }
  throw new Error(`The embedded PostgreSQL did not become ready:${pickFault(launch?.readReport() ?? '')}`);
}

function toConnection({ password }: Installation, host: string): SocketConnection {
  return { host, port: PORT, user: ROLE, password, database: DATABASE };
}

async function judgeExit(launch: Launch): Promise<void> {
  const report = launch.readReport();
  if (!OCCUPIED.test(report)) throw new Error(`The embedded PostgreSQL did not start:${pickFault(report)}`);
  await sleep(PAUSE_MS);
}

function stopLaunch(launch: Launch | undefined): void {
  if (launch?.pid !== undefined && !launch.hasExited) process.kill(launch.pid, 'SIGINT');
}

const WRONG_PASSWORD = '28P01';

async function answers(connection: SocketConnection): Promise<boolean> {
  try {
    const session = await openSession(connection, 'sluice start');
    await session.close();
    return true;
  } catch (error) {
    const cause = error instanceof Error ? error.cause : undefined;
    if (!(cause instanceof pg.DatabaseError) || cause.code !== WRONG_PASSWORD) return false;
    throw new Error(
      'The embedded PostgreSQL does not accept the password in postgres.password; restore that file.',
      {
        cause: error,
      },
    );
  }
}
