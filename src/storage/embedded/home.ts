import { createHash } from 'node:crypto';
import { chmod, mkdir, realpath, rmdir, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { createRandomText } from '#base';
import { exists, openSystemFolder, readIfThere, writeOnce } from './files.ts';
import { type ServerUser, canReach, findServerUser, isRoot } from './server-user.ts';

/** Where the files of one embedded server are, and as whom it runs. */
export interface Home {
  /** The gateway's data directory, its real path. */
  dataDirectory: string;
  /** The folder that holds the cluster and its socket: the data directory, or one that the server's user can reach. */
  folder: string;
  cluster: string;
  user: ServerUser | undefined;
}

/** Names the folder of a cluster that is not in its data directory. */
const POINTER = 'postgres.location';

/** Finds the cluster of a data directory, or decides where it will be. */
export async function findHome(directory: string): Promise<Home> {
  const dataDirectory = await openDataDirectory(directory);
  if (await isCluster(join(dataDirectory, 'postgres'))) return takeCluster(dataDirectory, dataDirectory);
  const pointed = await readPointer(dataDirectory);
  if (pointed !== undefined && (await isCluster(join(pointed, 'postgres')))) {
    return takeCluster(dataDirectory, pointed);
  }
  if (pointed !== undefined && !(await exists(pointed))) {
    throw new Error(
      `The database of ${dataDirectory} was kept in ${pointed}, which is gone. Restore that directory; ` +
        `or, to begin with an empty database, remove ${join(dataDirectory, POINTER)}.`,
    );
  }
  const user = await findServerUser(dataDirectory);
  if (pointed !== undefined) return createHome(dataDirectory, pointed, user);
  if (user === undefined || (await canReach(user, join(dataDirectory, 'postgres')))) {
    return createHome(dataDirectory, dataDirectory, user);
  }
  return createHome(dataDirectory, await reserveSystemFolder(dataDirectory), user);
}

function createHome(dataDirectory: string, folder: string, user: ServerUser | undefined): Home {
  return { dataDirectory, folder, cluster: join(folder, 'postgres'), user };
}

async function openDataDirectory(directory: string): Promise<string> {
  const created = await mkdir(directory, { recursive: true });
  const path = await realpath(directory);
  // The server's user must walk through a directory that root made; it cannot look around in it.
  if (created !== undefined) await chmod(path, isRoot() ? 0o711 : 0o700);
  return path;
}

/** A cluster that exists is used where it is, by the user who owns it: the server accepts no other. */
async function takeCluster(dataDirectory: string, folder: string): Promise<Home> {
  const cluster = join(folder, 'postgres');
  const { uid, gid } = await stat(cluster);
  if (!isRoot()) {
    if (uid === process.getuid?.()) return createHome(dataDirectory, folder, undefined);
    throw new Error(
      `The database in ${cluster} belongs to user ${uid}; start Sluice as that user, or as root.`,
    );
  }
  const user = { uid, gid };
  if (await canReach(user, cluster)) return createHome(dataDirectory, folder, user);
  throw new Error(
    `The database in ${cluster} belongs to user ${uid}, who cannot reach it any more: ` +
      'give the directories above it back the permission to be searched (chmod a+x).',
  );
}

async function isCluster(path: string): Promise<boolean> {
  return exists(join(path, 'PG_VERSION'));
}

async function readPointer(dataDirectory: string): Promise<string | undefined> {
  return (await readIfThere(join(dataDirectory, POINTER)))?.trim();
}

/** Takes a folder of its own below the system's one; of two first starts at once both get the same. */
async function reserveSystemFolder(dataDirectory: string): Promise<string> {
  const name = createHash('sha256').update(dataDirectory).digest('hex').slice(0, 16);
  const plain = join(await openSystemFolder(), name);
  // A folder of that name belongs to a data directory that was removed since, and is left alone.
  const folder = (await exists(plain)) ? `${plain}-${createRandomText(6)}` : plain;
  await mkdir(folder, { recursive: true });
  await chmod(folder, 0o711);
  const kept = (await writeOnce(join(dataDirectory, POINTER), `${folder}\n`)).trim();
  if (kept !== folder) await rmdir(folder);
  return kept;
}
