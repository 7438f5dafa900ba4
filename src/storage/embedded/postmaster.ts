import { readFileSync, readlinkSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { execFileSync } from 'node:child_process';

/** A running server as described by its pid file. */
interface Postmaster {
  pid: number;
  socketFolder: string;
  /** Whether it reports that it accepts connections. */
  isReady: boolean;
}

/** The server running on this cluster, including starting and stopping ones. */
export function findPostmaster(cluster: string): Postmaster | undefined {
  const postmaster = readPidFile(cluster);
  return postmaster && isPostmaster(postmaster.pid, cluster) ? postmaster : undefined;
}

/** Whether a server found earlier is still running; cheaper than finding it. */
export function isStillRunning(pid: number, cluster: string): boolean {
  try {
    return readPidFile(cluster)?.pid === pid && isAlive(pid);
  } catch {
    return true; // it cannot be inspected at the moment
  }
}

/** Removes the pid file of a server that is gone: its pid may have been reused, and PostgreSQL would wait for it. */
export function removeStalePidFile(cluster: string): void {
  const postmaster = readPidFile(cluster);
  if (postmaster && !isPostmaster(postmaster.pid, cluster))
    rmSync(join(cluster, 'postmaster.pid'), { force: true });
}

/** The same for its socket's lock, in a folder only this cluster uses. */
export function removeStaleSocketLock(path: string, cluster: string): void {
  const pid = Number(readIfThere(path)?.split('\n')[0]);
  if (Number.isSafeInteger(pid) && !isPostmaster(pid, cluster)) rmSync(path, { force: true });
}

/** Whether a process exists and is not a zombie, which accepts signals until its parent reaps it. */
export function isAlive(pid: number): boolean {
  try {
    process.kill(pid, 0);
  } catch (error) {
    if (!(error instanceof Error && 'code' in error && error.code === 'EPERM')) return false;
  }
  return !isZombie(pid);
}

function isZombie(pid: number): boolean {
  try {
    return /\) [ZX]/.test(readIfThere(`/proc/${pid}/stat`) ?? '');
  } catch {
    return false;
  }
}

/** Lines: process, cluster, start, port, socket folder, address, shared memory, state. */
function readPidFile(cluster: string): Postmaster | undefined {
  const lines = readIfThere(join(cluster, 'postmaster.pid'))?.split('\n') ?? [];
  const pid = Number(lines[0]);
  if (!Number.isSafeInteger(pid) || pid <= 1) return undefined;
  return { pid, socketFolder: lines[4] ?? '', isReady: lines[7]?.trim() === 'ready' };
}

function isPostmaster(pid: number, cluster: string): boolean {
  if (!isAlive(pid)) return false;
  const command = readCommand(pid);
  if (!/(?:^|\/)postgres -D /.test(command)) return false;
  const folder = readFolder(pid);
  return folder === undefined ? command.includes(` -D ${cluster} -c `) : folder === cluster;
}

/** The command line of a process, joined with spaces. */
function readCommand(pid: number): string {
  const text = readIfThere(`/proc/${pid}/cmdline`);
  if (text !== undefined) return text.replaceAll('\0', ' ');
  if (process.platform === 'linux') return '';
  try {
    return execFileSync('ps', ['-ww', '-o', 'command=', '-p', String(pid)], { encoding: 'utf8' });
  } catch {
    return '';
  }
}

/** The working folder of a process: for a server its cluster, even if that was renamed. */
function readFolder(pid: number): string | undefined {
  try {
    return readlinkSync(`/proc/${pid}/cwd`);
  } catch {
    return undefined;
  }
}

/** This process or machine has exhausted a resource; it is not about the file. */
const EXHAUSTED: readonly unknown[] = ['EMFILE', 'ENFILE', 'ENOMEM'];

function readIfThere(path: string): string | undefined {
  try {
    return readFileSync(path, 'utf8');
  } catch (error) {
    if (error instanceof Error && 'code' in error && EXHAUSTED.includes(error.code)) throw error;
    return undefined;
  }
}
