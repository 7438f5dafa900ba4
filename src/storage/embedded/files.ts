import { chmod, link, lstat, mkdir, open, readFile, rm, stat, writeFile } from 'node:fs/promises';
import { dirname } from 'node:path';
import { createRandomText } from '#base';
import { isRoot } from './server-user.ts';

/** Where a server's files go when its user cannot reach the data directory or the installation. */
const SYSTEM_FOLDER = '/var/lib/sluice';

const ABSENT: readonly unknown[] = ['ENOENT', 'ENOTDIR'];

/** The system's folder, which nobody but root may change: programs are run from it. */
export async function openSystemFolder(): Promise<string> {
  const created = await mkdir(SYSTEM_FOLDER, { recursive: true });
  if (created !== undefined) await chmod(SYSTEM_FOLDER, 0o755);
  const stats = await lstat(SYSTEM_FOLDER);
  if (stats.isDirectory() && stats.uid === 0 && (stats.mode & 0o022) === 0) return SYSTEM_FOLDER;
  throw new Error(
    `${SYSTEM_FOLDER} must be a directory that belongs to root and only root can write (chmod 755).`,
  );
}

/** Where a copy of the binaries is kept when the installed ones cannot be run. */
export async function openCopiesFolder(dataDirectory: string): Promise<string> {
  return isRoot() ? openSystemFolder() : dataDirectory;
}

/** Something that cannot be looked at is there all the same. */
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

/** Writes a file whole or not at all and never over another; gives what the file holds afterwards. */
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

/** Makes the names in a folder durable: what refers to a file must not outlive it in a power cut. */
export async function syncFolder(folder: string): Promise<void> {
  const file = await open(folder);
  try {
    await file.sync();
  } finally {
    await file.close();
  }
}

/** For steps that another process may have taken first. */
export function ignoreExisting(error: unknown): void {
  const code = codeOf(error);
  if (code !== 'EEXIST' && code !== 'ENOTEMPTY') throw error;
}

function codeOf(error: unknown): unknown {
  return error instanceof Error && 'code' in error ? error.code : undefined;
}
