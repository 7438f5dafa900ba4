import { chmod, link, lstat, mkdir, open, readFile, rm, stat, writeFile } from 'node:fs/promises';
import { dirname } from 'node:path';
import { createRandomText } from '#base';
import { isRoot } from './server-user.ts';

/** Location of a server's files if its user cannot reach the data directory or the installation. */
const SYSTEM_FOLDER = '/var/lib/sluice';

const ABSENT: readonly unknown[] = ['ENOENT', 'ENOTDIR'];

/** The system's folder, which only root may change: programs are run from it. */
export async function openSystemFolder(): Promise<string> {
  const created = await mkdir(SYSTEM_FOLDER, { recursive: true });
  if (created !== undefined) await chmod(SYSTEM_FOLDER, 0o755);
  const stats = await lstat(SYSTEM_FOLDER);
  if (stats.isDirectory() && stats.uid === 0 && (stats.mode & 0o022) === 0) return SYSTEM_FOLDER;
  throw new Error(
    `${SYSTEM_FOLDER} must be a directory that belongs to root and only root can write (chmod 755).`,
  );
}

/** The folder for a copy of binaries that cannot be run in place. */
export async function openCopiesFolder(dataDirectory: string): Promise<string> {
  return isRoot() ? openSystemFolder() : dataDirectory;
}

/** A path that cannot be inspected counts as existing. */
export async function exists(path: string): Promise<boolean> {
  return stat(path).then(
    () => true,
    (error: unknown) => !ABSENT.includes(codeOf(error)),
  );
}

export async function readIfThere(path: string): Promise<string | undefined> {
  return readFile(path, 'utf8').catch((error: unknown) => {
    if (codeOf(error) === 'ENOENT') return undefined;
    throw error;
  });
}

/** Writes a file atomically and never over another; returns what the file then holds. */
export async function writeOnce(path: string, text: string): Promise<string> {
  const draft = `${path}.${createRandomText(8)}`;
  try {
    await writeFile(draft, text, { mode: 0o600, flush: true });
    await link(draft, path).catch(ignoreExisting);
    await syncFolder(dirname(path));
  } finally {
    await rm(draft, { force: true });
  }
  return readFile(path, 'utf8');
}

/** Syncs a folder's entries to disk: a reference to a file must not outlive it in a power failure. */
export async function syncFolder(folder: string): Promise<void> {
  const file = await open(folder);
  try {
    await file.sync();
  } finally {
    await file.close();
  }
}

/** Ignores that another process was first. */
export function ignoreExisting(error: unknown): void {
  const code = codeOf(error);
  if (code !== 'EEXIST' && code !== 'ENOTEMPTY') throw error;
}

function codeOf(error: unknown): unknown {
  return error instanceof Error && 'code' in error ? error.code : undefined;
}
