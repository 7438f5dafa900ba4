import type { Log } from '#telemetry';
import { createHash } from 'node:crypto';
import { mkdir, rmdir, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { createRandomText } from '#base';
import { findClusterUser } from './adopt-cluster.ts';
import { closeToOthers, openDataDirectory } from './directory.ts';
import { exists, openSystemFolder, readIfThere, writeOnce } from './files.ts';
import { type ServerUser, canReach, findServerUser, isRoot } from './server-user.ts';

/** Where an embedded server's files are, and the user it runs as. */
export interface ServerHome {
  /** The gateway's data directory, its real path. */
  dataDirectory: string;
  /**
   * The folder that holds the cluster and its socket: the data directory, or another one the server's user can reach.
   */
  folder: string;
  cluster: string;
  user: ServerUser | undefined;
}

/** The file that names the folder of a cluster outside its data directory. */
const POINTER = 'postgres.location';

/** Finds the cluster of a data directory, or decides where to create it. */
export async function findHome(directory: string, log: Log): Promise<ServerHome> {
  const dataDirectory = await openDataDirectory(directory);
  if (await isCluster(join(dataDirectory, 'postgres'))) {
    return takeCluster({ dataDirectory, folder: dataDirectory, log });
  }
  const pointed = await readPointer(dataDirectory);
  if (pointed !== undefined && (await isCluster(join(pointed, 'postgres')))) {
    return takeCluster({ dataDirectory, folder: pointed, log });
  }
  if (pointed !== undefined && !(await exists(pointed))) {
    throw new Error(
      `The database of ${dataDirectory} was stored in ${pointed}, which does not exist any more. Restore that directory; ` +
        `or, to start with an empty database, remove ${join(dataDirectory, POINTER)}.`,
    );
  }
  const user = await findServerUser(dataDirectory, log);
  if (user === undefined) return createHome(dataDirectory, pointed ?? dataDirectory, user);
  if (pointed === undefined && (await canServe(user, dataDirectory))) {
    return createHome(dataDirectory, dataDirectory, user);
  }
  const folder = pointed ?? (await reserveSystemFolder(dataDirectory));
  await closeToOthers(folder, user);
  return createHome(dataDirectory, folder, user);
}

function createHome(dataDirectory: string, folder: string, user: ServerUser | undefined): ServerHome {
  return { dataDirectory, folder, cluster: join(folder, 'postgres'), user };
}

/** Whether a user can work in a folder; restricts it to that user if possible. */
async function canServe(user: ServerUser, folder: string): Promise<boolean> {
  if (!(await canReach(user, folder))) return false;
  await closeToOthers(folder, user);
  return canReach(user, join(folder, 'postgres'));
}

interface ExistingCluster {
  dataDirectory: string;
  /** The folder of its cluster. */
  folder: string;
  log: Log;
}

/** An existing cluster is used in place. */
async function takeCluster({ dataDirectory, folder, log }: ExistingCluster): Promise<ServerHome> {
  const cluster = join(folder, 'postgres');
  if (!isRoot()) {
    const { uid } = await stat(cluster);
    if (uid === process.getuid?.()) return createHome(dataDirectory, folder, undefined);
    throw new Error(
      `The database in ${cluster} belongs to user ${uid}; start Sluice as that user, or as root.`,
    );
  }
  const user = await findClusterUser({ cluster, dataDirectory, log });
  if (await canServe(user, folder)) return createHome(dataDirectory, folder, user);
  throw new Error(
    `The database in ${cluster} belongs to user ${user.uid}, who cannot reach it any more: ` +
      'give the directories above it back the permission to be searched (chmod a+x).',
  );
}

async function isCluster(path: string): Promise<boolean> {
  return exists(join(path, 'PG_VERSION'));
}

async function readPointer(dataDirectory: string): Promise<string | undefined> {
  return (await readIfThere(join(dataDirectory, POINTER)))?.trim();
}

/** Reserves a folder below the system's one; concurrent first starts get the same. */
async function reserveSystemFolder(dataDirectory: string): Promise<string> {
  const name = createHash('sha256').update(dataDirectory).digest('hex').slice(0, 16);
  const plain = join(await openSystemFolder(), name);
  // A folder of that name belongs to a deleted data directory, and is left alone.
  const folder = (await exists(plain)) ? `${plain}-${createRandomText(6)}` : plain;
  await mkdir(folder, { recursive: true, mode: 0o700 });
  const kept = (await writeOnce(join(dataDirectory, POINTER), `${folder}\n`)).trim();
  if (kept !== folder) await rmdir(folder);
  return kept;
}
