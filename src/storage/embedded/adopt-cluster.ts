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
 * Finds the user to run a cluster's server as: its owner, the only one PostgreSQL accepts. A cluster of root, of a
 * shared user or of a deleted one (as on a volume from another container) is first given to a dedicated user.
 */
export async function findClusterUser({ cluster, dataDirectory, log }: Adoption): Promise<ServerUser> {
  const { uid, gid } = await stat(cluster);
  if (await isOwnUser(uid)) return { uid, gid };
  if (findPostmaster(cluster)) {
    log.warn({ cluster, uid }, 'the running PostgreSQL gets its own user when it is next started');
    return { uid, gid };
  }
  const user = await findServerUser(dataDirectory, log);
  if (!user) return { uid, gid };
  await changeOwner(user, cluster);
  log.warn({ cluster, from: uid, to: user.uid }, 'the database was given to its own user');
  return user;
}

/** The folder itself comes last, so that an interrupted run starts over. */
async function changeOwner({ uid, gid }: ServerUser, folder: string): Promise<void> {
  const entries = await readdir(folder, { withFileTypes: true, recursive: true });
  for (const { parentPath, name } of entries) await lchown(join(parentPath, name), uid, gid);
  await lchown(folder, uid, gid);
}
