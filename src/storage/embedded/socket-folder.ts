import type { ServerHome } from './home.ts';
import { createHash } from 'node:crypto';
import type { Stats } from 'node:fs';
import { chmod, chown, lstat, mkdir, rm, rmdir } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { ignoreExisting } from './files.ts';
import { PORT } from './launch.ts';
import { canReach, isRoot } from './server-user.ts';

/** The kernel limits a socket's path to 108 bytes on Linux and 104 on macOS. */
const LONGEST_PATH = 100;

/** Creates the socket's folder, accessible only to the server's user. */
export async function openSocketFolder(home: ServerHome, wanted?: string): Promise<string> {
  const folder = wanted ?? (await chooseFolder(home));
  const uid = home.user?.uid ?? process.getuid?.() ?? 0;
  let stats = await make(folder, home);
  if (isRoot() && stats.isDirectory() && stats.uid !== uid) {
    await removeLeft(folder);
    stats = await make(folder, home);
  }
  // In a world-writable directory, another user may have created it first.
  if (!stats.isDirectory() || stats.uid !== uid) {
    throw new Error(
      `${folder} is needed for the socket of the embedded PostgreSQL, but belongs to another user; remove it.`,
    );
  }
  if ((stats.mode & 0o777) !== 0o700) await chmod(folder, 0o700);
  return folder;
}

async function make(folder: string, { user }: ServerHome): Promise<Stats> {
  await mkdir(folder, { mode: 0o700 }).then(
    () => (user ? chown(folder, user.uid, user.gid) : undefined),
    ignoreExisting,
  );
  return lstat(folder);
}

/** Removes the leftovers of another user's server; a folder with anything else is kept and refused. */
async function removeLeft(folder: string): Promise<void> {
  for (const name of [`.s.PGSQL.${PORT}`, `.s.PGSQL.${PORT}.lock`])
    await rm(join(folder, name), { force: true });
  await rmdir(folder).catch(ignoreExisting);
}

async function chooseFolder(home: ServerHome): Promise<string> {
  const name = createHash('sha256').update(home.folder).digest('hex').slice(0, 16);
  const candidates = [
    join(home.folder, 'postgres.socket'),
    join(tmpdir(), `sluice-${name}`),
    `/tmp/sluice-${name}`,
  ];
  for (const folder of candidates) {
    const path = join(folder, `.s.PGSQL.${PORT}`);
    if (Buffer.byteLength(path) > LONGEST_PATH) continue;
    if (home.user === undefined || (await canReach(home.user, path.replace(/\/[^/]+$/, '')))) return folder;
  }
  throw new Error(
    `No directory can be used for the socket of the embedded PostgreSQL: tried ${candidates.join(', ')}.`,
  );
}
