import type { Log } from '#telemetry';
import { execFile, spawn } from 'node:child_process';
import { readFile, stat } from 'node:fs/promises';
import { userInfo } from 'node:os';
import { dirname } from 'node:path';
import { promisify } from 'node:util';
import { type ServerUser, USER_NAMES, makeUser } from './make-user.ts';

export type { ServerUser };

/** Users that other programs run as, too: any of those could change and stop what belongs to them. */
const SHARED = ['nobody', 'daemon'];

export function isRoot(): boolean {
  return process.getuid?.() === 0;
}

/** The directory's owner, else Sluice's dedicated user, created if missing; `undefined` if the gateway is not root. */
export async function findServerUser(directory: string, log: Log): Promise<ServerUser | undefined> {
  if (!isRoot()) {
    requireName();
    return undefined;
  }
  const { uid, gid } = await stat(directory);
  return (await isOwnUser(uid))
    ? { uid, gid }
    : ((await findDedicatedUser()) ?? makeUser(log, findDedicatedUser));
}

/** Sluice's dedicated user, if there is one. */
export async function findDedicatedUser(): Promise<ServerUser | undefined> {
  const users = await readUsers();
  const found = USER_NAMES.map((name) => users.get(name)).find((user) => user && user.uid !== 0);
  return found && { uid: found.uid, gid: found.gid };
}

/**
 * Whether a server may run as a user: not root, not shared with other programs, and with a name that PostgreSQL finds.
 */
export async function isOwnUser(uid: number): Promise<boolean> {
  if (uid === 0) return false;
  const users = await readUsers();
  const names = [...users].filter(([, user]) => user.uid === uid).map(([name]) => name);
  if (names.length === 0) return isNamedElsewhere(uid);
  return !names.some((name) => SHARED.includes(name));
}

function requireName(): void {
  try {
    userInfo();
  } catch {
    throw new Error(
      `PostgreSQL needs a user with a name, and user ${process.getuid?.() ?? '?'} of this system has none. ` +
        'Start Sluice as a user that is in /etc/passwd, or set DATABASE_URL.',
    );
  }
}

async function readUsers(): Promise<Map<string, ServerUser>> {
  const text = await readFile('/etc/passwd', 'utf8').catch(() => '');
  const users = new Map<string, ServerUser>();
  for (const line of text.split('\n')) {
    const [name, , uid, gid] = line.split(':');
    if (!name || name.startsWith('#') || !uid || !gid) continue;
    users.set(name, { uid: Number(uid) >>> 0, gid: Number(gid) >>> 0 }); // macOS stores the user nobody as -2
  }
  return users;
}

/** Users of a directory service are not in /etc/passwd. */
async function isNamedElsewhere(uid: number): Promise<boolean> {
  return promisify(execFile)('id', ['-un', String(uid)]).then(
    () => true,
    () => false,
  );
}

/** Whether the user can traverse to a path: the search bit of every folder above it. */
export async function canReach(user: ServerUser, path: string): Promise<boolean> {
  for (let folder = dirname(path); ; folder = dirname(folder)) {
    if (!(await maySearch(user, folder))) return false;
    if (folder === dirname(folder)) return true;
  }
}

async function maySearch({ uid, gid }: ServerUser, folder: string): Promise<boolean> {
  const stats = await stat(folder);
  const bit = stats.uid === uid ? 0o100 : stats.gid === gid ? 0o010 : 0o001;
  return (stats.mode & bit) !== 0;
}

/**
 * Whether the user can really run a program of PostgreSQL, including its libraries; an empty file would pass as a
 * script.
 */
export async function canRun(user: ServerUser | undefined, program: string): Promise<boolean> {
  return new Promise((resolve) => {
    const options = { ...user, cwd: '/', env: {} };
    const child = spawn(program, ['--version'], { ...options, stdio: ['ignore', 'pipe', 'ignore'] });
    let output = '';
    child.stdout.on('data', (bytes: Buffer) => (output += bytes.toString()));
    child.once('error', () => resolve(false));
    child.once('close', (code) => resolve(code === 0 && output.includes('PostgreSQL')));
  });
}
