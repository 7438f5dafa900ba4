import type { Log } from '#telemetry';
import { execFile } from 'node:child_process';
import { setTimeout as sleep } from 'node:timers/promises';
import { promisify } from 'node:util';

/** Whom the server runs as when the gateway is root, which PostgreSQL refuses to be. */
export interface ServerUser {
  uid: number;
  gid: number;
}

/** Names of the user that is Sluice's alone; the first is the one that is made. */
export const USER_NAMES = ['sluice', '_sluice'];

/** The same everywhere, so that a volume keeps its owner when it is given to another container. */
const ID = '8787';
const FOLDERLESS = ['--no-create-home', '--home-dir', '/nonexistent', '--shell', '/usr/sbin/nologin'];
const USERADD = ['--system', '--user-group', ...FOLDERLESS, 'sluice'];

/** How such a user is made, the first way that works here; the second takes any number where the first one is taken. */
const WAYS: readonly (readonly [string, readonly string[]])[] = [
  ['useradd', ['--uid', ID, ...USERADD]],
  ['useradd', USERADD],
  ['adduser', ['-S', '-D', '-H', '-h', '/nonexistent', '-s', '/sbin/nologin', '-u', ID, 'sluice']],
];
const ADVICE =
  process.platform === 'darwin'
    ? 'Start Sluice as an ordinary user, or set DATABASE_URL.'
    : `Make it with: echo 'sluice:x:${ID}:${ID}::/nonexistent:/usr/sbin/nologin' >> /etc/passwd ` +
      '(or start Sluice as an ordinary user, or set DATABASE_URL).';

const TRIES = 20;
const PAUSE_MS = 200;
/** useradd lies in a folder that the path of a service may lack. */
const PATH = '/usr/sbin:/usr/bin:/sbin:/bin';

type Run = (program: string, options: readonly string[]) => Promise<unknown>;

const run: Run = (program, options) =>
  promisify(execFile)(program, [...options], { env: { PATH, LC_ALL: 'C' } });

/** Makes the user that the embedded PostgreSQL runs as when the gateway is root; says so in one line. */
export async function makeUser(
  log: Log,
  find: () => Promise<ServerUser | undefined>,
  runProgram = run,
): Promise<ServerUser> {
  let reason = '';
  // Of two first starts one holds the lock of the user list.
  for (let tries = 0; tries < TRIES; tries += 1) {
    for (const [program, options] of WAYS) {
      const problem = await runProgram(program, options).then(() => undefined, describe);
      const user = await find();
      if (user && problem === undefined)
        log.warn(
          { user: 'sluice', uid: user.uid },
          'made the system user sluice for the embedded PostgreSQL',
        );
      if (user) return user;
      reason = problem ?? '';
    }
    if (!/lock/i.test(reason)) break;
    await sleep(PAUSE_MS);
  }
  throw new Error(
    'PostgreSQL refuses to run as root, and what belonged to nobody would be open to every program of that user: it needs ' +
      `a user of its own, named sluice, which could not be made here (${reason}). ${ADVICE}`,
  );
}

function describe(error: unknown): string {
  const text = error instanceof Error && 'stderr' in error ? String(error.stderr) : '';
  return text.trim().split('\n').at(-1) || (error instanceof Error ? error.message : String(error));
}
