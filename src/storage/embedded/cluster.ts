import type { PostgresBinaries } from './binaries.ts';
import type { ServerHome } from './home.ts';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { chown, mkdir, readFile, readdir, rename, rm, stat, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { createRandomText } from '#base';
import { exists, ignoreExisting, readIfThere, syncFolder, writeOnce } from './files.ts';
import { pickFault } from './pick-fault.ts';
import { isAlive } from './postmaster.ts';
import { isRoot } from './server-user.ts';

/** The server's one role, and its database: the one that every cluster has. */
export const ROLE = 'sluice';
export const DATABASE = 'postgres';

const DRAFT = /^postgres\.new-(\d+)-/;
const LARGEST_REPORT = 2_000;

/** Creates the cluster if there is none, else checks it; returns its role's password. */
export async function openCluster(
  home: ServerHome,
  binaries: PostgresBinaries,
  signal?: AbortSignal,
): Promise<string> {
  if (await exists(join(home.cluster, 'PG_VERSION'))) {
    await checkVersion(home, binaries);
    return readPassword(home);
  }
  const password = await createPassword(home);
  await removeDrafts(home);
  await createCluster(home, { binaries, password, signal });
  return password;
}

async function checkVersion({ cluster }: ServerHome, { major }: PostgresBinaries): Promise<void> {
  const found = (await readFile(join(cluster, 'PG_VERSION'), 'utf8')).trim();
  if (found === major) return;
  throw new Error(
    `The database in ${cluster} was created by PostgreSQL ${found}, and this Sluice includes PostgreSQL ${major}. ` +
      'Back it up with the Sluice version that created it (sluice backup FILE), ' +
      'and restore the file with this one into a new data directory (sluice restore FILE --data-dir DIRECTORY).',
  );
}

function passwordFile({ dataDirectory }: ServerHome): string {
  return join(dataDirectory, 'postgres.password');
}

async function readPassword(home: ServerHome): Promise<string> {
  const text = await readIfThere(passwordFile(home));
  if (text !== undefined && text.trim() !== '') return text.trim();
  throw new Error(
    `The file ${passwordFile(home)} is missing; the database in ${home.cluster} needs it. Restore it from a copy of the data ` +
      'directory, or load a backup into a new one (sluice restore FILE --data-dir DIRECTORY).',
  );
}

/** If two first starts run at once, one writes the password and both create their cluster with it. */
async function createPassword(home: ServerHome): Promise<string> {
  const path = passwordFile(home);
  const password = (await readIfThere(path)) ?? (await writeOnce(path, `${createRandomText(40)}\n`));
  if (isRoot()) {
    const { uid, gid } = await stat(home.dataDirectory);
    await chown(path, uid, gid); // so that the directory's owner can also start Sluice
  }
  return password.trim();
}

interface ClusterOptions {
  binaries: PostgresBinaries;
  password: string;
  signal: AbortSignal | undefined;
}

/** Creates the cluster in a temporary place and renames it atomically, so that it is never seen half done. */
async function createCluster(home: ServerHome, options: ClusterOptions): Promise<void> {
  const draft = join(home.folder, `postgres.new-${process.pid}-${createRandomText(6)}`);
  const secret = join(draft, 'password');
  try {
    await mkdir(draft, { mode: 0o700 });
    await writeFile(secret, options.password, { mode: 0o600 });
    if (home.user) for (const path of [draft, secret]) await chown(path, home.user.uid, home.user.gid);
    await runInitdb(home, options, { target: join(draft, 'cluster'), secret });
    await rename(join(draft, 'cluster'), home.cluster).catch(ignoreExisting); // another process was faster
    await syncFolder(home.folder);
  } finally {
    await rm(draft, { recursive: true, force: true });
  }
}

async function runInitdb(
  { user, folder }: ServerHome,
  { binaries, signal }: ClusterOptions,
  { target, secret }: { target: string; secret: string },
): Promise<void> {
  const flags = [
    `--pgdata=${target}`,
    `--username=${ROLE}`,
    `--pwfile=${secret}`,
    '--auth=scram-sha-256',
    '--set=scram_iterations=1', // the password is random; more would take a millisecond of each connection
    '--encoding=UTF8',
    '--locale=C',
    '--locale-provider=builtin',
    '--builtin-locale=C.UTF-8',
    '--data-checksums',
    '--no-instructions',
  ];
  const child = spawn(binaries.initdb, flags, {
    ...user,
    cwd: '/',
    env: { LC_ALL: 'C', TZ: 'UTC' },
    stdio: ['ignore', 'pipe', 'pipe'],
    ...(signal && { signal }),
  });
  let report = '';
  for (const stream of [child.stdout, child.stderr]) {
    stream
      .setEncoding('utf8')
      .on('data', (text: string) => (report = (report + text).slice(-LARGEST_REPORT)));
  }
  const [code] = (await once(child, 'close')) as [number | null];
  if (code !== 0)
    throw new Error(
      `The embedded PostgreSQL could not create its database in ${folder}:${pickFault(report)}`,
    );
}

/** Removes what interrupted first starts left behind. */
async function removeDrafts({ folder }: ServerHome): Promise<void> {
  for (const name of await readdir(folder)) {
    const pid = DRAFT.exec(name)?.[1];
    // In a container, this process often has the same pid as the previous one.
    if (pid === undefined || (Number(pid) !== process.pid && isAlive(Number(pid)))) continue;
    // Its initdb may still be writing for a moment.
    await rm(join(folder, name), { recursive: true, force: true, maxRetries: 10, retryDelay: 50 });
  }
}
