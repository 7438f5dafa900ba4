import { reasonOf } from '#base';
import type { Log } from '#telemetry';
import { execFile } from 'node:child_process';
import { setTimeout as sleep } from 'node:timers/promises';
import { promisify } from 'node:util';

/** The user that runs the server if the gateway is root, which PostgreSQL refuses. */
export interface ServerUser {
  uid: number;
  gid: number;
}

/** Names of Sluice's dedicated user; the first is created. */
export const USER_NAMES = ['sluice', '_sluice'];

/** The same everywhere, so that a volume keeps its owner in another container. */
const ID = '8787';
const FOLDERLESS = ['--no-create-home', '--home-dir', '/nonexistent', '--shell', '/usr/sbin/nologin'];
const USERADD = ['--system', '--user-group', ...FOLDERLESS, 'sluice'];

/** Ways to create the user, in order of preference; the second takes any id if the first's is taken. */
const WAYS: readonly (readonly [string, readonly string[]])[] = [
  ['useradd', ['--uid', ID, ...USERADD]],
  ['useradd', USERADD],
  ['adduser', ['-S', '-D', '-H', '-h', '/nonexistent', '-s', '/sbin/nologin', '-u', ID, 'sluice']],
];
const ADVICE =
  process.platform === 'darwin'
    ? 'Start Sluice as an ordinary user, or set DATABASE_URL.'
    : `Create it with: echo 'sluice:x:${ID}:${ID}::/nonexistent:/usr/sbin/nologin' >> /etc/passwd ` +
      '(or start Sluice as an ordinary user, or set DATABASE_URL).';

const TRIES = 20;
const PAUSE_MS = 200;
/** useradd is in a folder that the path of a service may lack. */
const PATH = '/usr/sbin:/usr/bin:/sbin:/bin';

type Run = (program: string, options: readonly string[]) => Promise<unknown>;

const run: Run = (program, options) =>
  promisify(execFile)(program, [...options], { env: { PATH, LC_ALL: 'C' } });

/** Creates the user that runs the embedded PostgreSQL if the gateway is root, and logs it. */
export async function makeUser(
  log: Log,
  find: () => Promise<ServerUser | undefined>,
  runProgram = run,
): Promise<ServerUser> {
  let reason = '';
  // Of two concurrent first starts, one holds the lock of the user list.
  for (let tries = 0; tries < TRIES; tries += 1) {
    for (const [program, options] of WAYS) {
      const problem = await runProgram(program, options).then(() => undefined, describe);
      const user = await find();
      if (user && problem === undefined)
        log.warn(
          { user: 'sluice', uid: user.uid },
          'created the system user sluice for the embedded PostgreSQL',
        );
      if (user) return user;
      reason = problem ?? '';
    }
    if (!/lock/i.test(reason)) break;
    await sleep(PAUSE_MS);
  }
  throw new Error(
    'PostgreSQL refuses to run as root, and files of the user nobody would be open to every program of that user: it needs ' +
      `a dedicated user named sluice, which could not be created here (${reason}). ${ADVICE}`,
  );
}

function describe(error: unknown): string {
  const text = error instanceof Error && 'stderr' in error ? String(error.stderr) : '';
  return text.trim().split('\n').at(-1) || reasonOf(error);
}
