import type { ServerUser } from './server-user.ts';
import { chmod, chown, mkdir, readdir, realpath, stat } from 'node:fs/promises';
import { dirname } from 'node:path';
import { syncFolder } from './files.ts';
import { isOwnUser, isRoot } from './server-user.ts';

/** Sluice's own files in a data directory, and those of an empty disk. */
const OURS = /^(?:secret(?:\..+)?|journal|gateway\.json(?:\..+)?|postgres(?:ql-.+|\..+)?|lost\+found)$/;
const OTHERS = 0o077;

/** Opens a data directory with access for its owner only; returns its real path. */
export async function openDataDirectory(directory: string): Promise<string> {
  const created = await mkdir(directory, { recursive: true, mode: 0o700 });
  if (created !== undefined) await syncFolder(dirname(created));
  const path = await realpath(directory);
  await closeToOthers(path);
  return path;
}

/**
 * Restricts a directory to its owner, the given one from now on. A directory that holds anything besides Sluice's own
 * files belongs to its operator and is not changed, nor is one on a file system without owners. Returns whether it is
 * restricted.
 */
export async function closeToOthers(path: string, owner?: ServerUser): Promise<boolean> {
  try {
    const { uid, mode } = await stat(path);
    if (!isRoot() && uid !== process.getuid?.()) return false;
    if (owner && !(await isOwnUser(owner.uid))) return false;
    if (!(await readdir(path)).every((name) => OURS.test(name))) return false;
    if ((mode & OTHERS) !== 0) await chmod(path, 0o700);
    if (owner && uid !== owner.uid) await chown(path, owner.uid, owner.gid);
    return true;
  } catch {
    return false;
  }
}
