import type { ServerUser } from './server-user.ts';
import { chmod, chown, mkdir, readdir, realpath, stat } from 'node:fs/promises';
import { dirname } from 'node:path';
import { syncFolder } from './files.ts';
import { isOwnUser, isRoot } from './server-user.ts';

/** What Sluice itself keeps in a data directory, and what an empty disk holds. */
const OURS = /^(?:secret(?:\..+)?|journal|gateway\.json(?:\..+)?|postgres(?:ql-.+|\..+)?|lost\+found)$/;
const OTHERS = 0o077;

/** Opens a data directory, closed to everyone else; gives its real path. */
export async function openDataDirectory(directory: string): Promise<string> {
  const made = await mkdir(directory, { recursive: true, mode: 0o700 });
  if (made !== undefined) await syncFolder(dirname(made));
  const path = await realpath(directory);
  await closeToOthers(path);
  return path;
}

/**
 * Closes a directory to everyone but its owner, who is the given one from now on. One that holds anything besides Sluice's own
 * files is its operator's and stays as it is, as does one on a file system that knows no owners. Gives whether it is closed.
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
