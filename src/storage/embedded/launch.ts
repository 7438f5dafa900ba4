import type { PostgresBinaries } from './binaries.ts';
import type { ServerHome } from './home.ts';
import { type ChildProcess, spawn } from 'node:child_process';
import { closeSync, constants, fstatSync, ftruncateSync, openSync, readFileSync } from 'node:fs';
import { join } from 'node:path';

export const PORT = 5432;

const LARGEST_LOG_BYTES = 4 * 1024 * 1024;
const LARGEST_REPORT = 2_000;
/** Never follows a link: the directory may belong to the server's user while the gateway is root. */
const APPEND = constants.O_WRONLY | constants.O_APPEND | constants.O_NOFOLLOW;

/** Settings of a server for one gateway: small, durable, and on a Unix socket only. */
const SETTINGS: Record<string, string> = {
  listen_addresses: '',
  port: String(PORT),
  unix_socket_permissions: '0700',
  max_connections: '60',
  shared_buffers: '64MB',
  max_wal_size: '256MB',
  min_wal_size: '32MB',
  fsync: 'on',
  synchronous_commit: 'on',
  full_page_writes: 'on',
  jit: 'off',
  io_method: 'sync',
  max_wal_senders: '0',
  max_logical_replication_workers: '0',
  max_parallel_workers_per_gather: '0',
  timezone: 'UTC',
  log_timezone: 'UTC',
  log_line_prefix: '%m [%p] ',
  log_checkpoints: 'off',
  log_error_verbosity: 'terse', // a DETAIL line would contain values
};

export interface LaunchPlan {
  home: ServerHome;
  binaries: PostgresBinaries;
  /** PostgreSQL settings that override ours. */
  settings: Readonly<Record<string, string>>;
}

/** A server started here; it outlives this process. */
export interface Launch {
  readonly pid: number | undefined;
  readonly hasExited: boolean;
  /** What it has logged since the start. */
  readReport(): string;
}

/** Starts the server in its own session, so that neither Ctrl-C nor the gateway's exit stops it. */
export function launchServer({ home, binaries, settings }: LaunchPlan, socketFolder: string): Launch {
  const path = logFile(home);
  const log = openSync(path, APPEND | constants.O_CREAT, 0o600);
  const start = fstatSync(log).size;
  let hasExited = false;
  let problem = '';
  let child: ChildProcess;
  try {
    child = spawn(binaries.postgres, ['-D', home.cluster, ...listSettings(settings, socketFolder)], {
      ...home.user,
      cwd: '/',
      detached: true,
      env: { LC_ALL: 'C', TZ: 'UTC' }, // without the gateway's variables, which hold credentials
      stdio: ['ignore', log, log],
    });
  } finally {
    closeSync(log);
  }
  child.once('exit', () => (hasExited = true));
  child.once('error', (error) => {
    hasExited = true;
    problem = error.message;
  });
  child.unref();
  return {
    pid: child.pid,
    get hasExited() {
      return hasExited;
    },
    readReport: () => problem || readFileSync(path).subarray(start).toString('utf8').slice(-LARGEST_REPORT),
  };
}

function listSettings(own: LaunchPlan['settings'], socketFolder: string): string[] {
  // The setting is a list; quotes keep a name with commas or spaces together.
  const folders = `"${socketFolder.replaceAll('"', '""')}"`;
  const settings = { ...SETTINGS, ...own, unix_socket_directories: folders };
  return Object.entries(settings).flatMap(([name, value]) => ['-c', `${name}=${value}`]);
}

function logFile({ dataDirectory }: ServerHome): string {
  return join(dataDirectory, 'postgres.log');
}

/** Truncates a large log; the server appends and continues at its new end. */
export function boundLog(home: ServerHome): void {
  const path = logFile(home);
  try {
    const log = openSync(path, APPEND);
    if (fstatSync(log).size > LARGEST_LOG_BYTES) ftruncateSync(log);
    closeSync(log);
  } catch {
    return; // no log yet, or one of another user: not worth failing for
  }
}
