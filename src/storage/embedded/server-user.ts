import { spawn } from 'node:child_process';
import { readFile, stat } from 'node:fs/promises';
import { userInfo } from 'node:os';
import { dirname } from 'node:path';

/** Whom the server runs as when the gateway is root, which PostgreSQL refuses to be. */
export interface ServerUser {
  uid: number;
  gid: number;
}

const UNPRIVILEGED = ['nobody', 'daemon'];

export function isRoot(): boolean {
  return process.getuid?.() === 0;
}

/**
 * The directory's owner, else an unprivileged user that every system has; none where the gateway itself is unprivileged.
 * PostgreSQL wants its user to have a name, so that an owner who is only a number does not do.
 */
export async function findServerUser(directory: string): Promise<ServerUser | undefined> {
  if (!isRoot()) {
    requireName();
    return undefined;
  }
  const { uid, gid } = await stat(directory);
  const known = await readUsers();
  if (uid !== 0 && [...known.values()].some((user) => user.uid === uid)) return { uid, gid };
  for (const name of UNPRIVILEGED) {
    const user = known.get(name);
    if (user && user.uid !== 0) return user;
  }
  throw new Error(
    'PostgreSQL refuses to run as root, and this system has neither a user nobody nor a user daemon. ' +
      'Start Sluice as an ordinary user, or set DATABASE_URL.',
  );
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
    users.set(name, { uid: Number(uid) >>> 0, gid: Number(gid) >>> 0 }); // macOS writes nobody as -2
  }
  return users;
}

/** Whether the user may walk down to a path: the search bit of every folder above it. */
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

/** Whether the user can really run a program, its libraries included. */
export async function canRun(user: ServerUser | undefined, program: string): Promise<boolean> {
  return new Promise((resolve) => {
    const child = spawn(program, ['--version'], { ...user, cwd: '/', env: {}, stdio: 'ignore' });
    child.once('error', () => resolve(false));
    child.once('exit', (code) => resolve(code === 0));
  });
}
