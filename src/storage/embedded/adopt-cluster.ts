import type { Log } from '#telemetry';
import type { ServerUser } from './server-user.ts';
import { lchown, readdir, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { findPostmaster } from './postmaster.ts';
import { findServerUser, isOwnUser } from './server-user.ts';

interface Adoption {
  cluster: string;
  dataDirectory: string;
  log: Log;
}

/**
 * Whom the server of a cluster runs as: its owner, since PostgreSQL accepts no other. A cluster of root, of a user that others
 * share or of one that is gone, as a volume of another container has it, is given to a user of its own first.
 */
export async function findClusterUser({ cluster, dataDirectory, log }: Adoption): Promise<ServerUser> {
  const { uid, gid } = await stat(cluster);
  if (await isOwnUser(uid)) return { uid, gid };
  if (findPostmaster(cluster)) {
    log.warn({ cluster, uid }, 'the running PostgreSQL gets a user of its own when it is started again');
    return { uid, gid };
  }
  const user = await findServerUser(dataDirectory, log);
  if (!user) return { uid, gid };
  await giveTo(user, cluster);
  log.warn({ cluster, from: uid, to: user.uid }, 'the database was given to a user of its own');
  return user;
}

/** The folder itself comes last: who is killed half way does it all again. */
async function giveTo({ uid, gid }: ServerUser, folder: string): Promise<void> {
  const entries = await readdir(folder, { withFileTypes: true, recursive: true });
  for (const { parentPath, name } of entries) await lchown(join(parentPath, name), uid, gid);
  await lchown(folder, uid, gid);
}
