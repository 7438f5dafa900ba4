import assert from 'node:assert/strict';
import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, readFileSync } from 'node:fs';
import { after, before, test } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import { getProgram } from '../support/built-program.ts';
import { type Gateway, startGateway } from '../support/gateway.ts';
import { stopOrphanDatabase } from '../support/orphan-database.ts';
import { own } from '../support/owned.ts';
import { createEnvironment } from '../support/process-environment.ts';
import { type TemporaryFolder, createTemporaryFolder } from '../support/temporary.ts';
import { until } from '../support/until.ts';

const CHAT = { model: 'local/echo', messages: [{ role: 'user', content: 'hello' }] };
/** As npm forwards a signal that the terminal has sent already. */
const ECHO_MS = 50;

let folder: TemporaryFolder;
let dataDir: string;
let gateway: Gateway;

before(async () => {
  folder = createTemporaryFolder('sluice-follow-');
  dataDir = `${folder.path}/data`;
  gateway = await startGateway({ dataDir });
});

after(async () => {
  await gateway[Symbol.asyncDispose]();
  await stopOrphanDatabase(dataDir);
  folder.remove();
});

interface Follow {
  child: ChildProcess;
  /** What it has printed to both streams. */
  text(): string;
}

/** Starts a program, by default the command, and keeps what it prints. */
async function start(words: readonly string[], env: Record<string, string> = {}): Promise<Follow> {
  const [file = '', ...args] = words;
  const child = own(
    spawn(file, args, { detached: true, env: createEnvironment(env), stdio: ['ignore', 'pipe', 'pipe'] }),
  );
  let text = '';
  for (const stream of [child.stdout, child.stderr])
    stream.on('data', (bytes: Buffer) => (text += bytes.toString()));
  return { child, text: () => text };
}

const toWords = async (line: string): Promise<string[]> => [
  process.execPath,
  await getProgram(),
  ...line.split(' '),
  '--data-dir',
  dataDir,
];

const isServed = (): boolean => existsSync(`${dataDir}/postgres/postmaster.pid`);

async function interrupt({ child }: Follow): Promise<number | null> {
  const closed = once(child, 'close');
  child.kill('SIGINT');
  await closed;
  return child.exitCode;
}

/** Whether the server is gone then is all that is known: the repeated signal may come when the process has all but ended. */
async function interruptTwice(follow: Follow): Promise<void> {
  const ended = interrupt(follow);
  await sleep(ECHO_MS);
  follow.child.kill('SIGINT');
  await ended;
}

async function ask(): Promise<string> {
  const response = await gateway.post('/v1/chat/completions', CHAT, { authorization: `Bearer ${key}` });
  assert.equal(response.status, 200, await response.text());
  return response.headers.get('x-request-id') ?? '';
}

let key = '';

test('a command that follows waits while the gateway is stopped, starts no server, and goes on with the next', async () => {
  key = gateway.apiKey;
  const logs = await start(await toWords('logs --follow'));
  const videos = await start(await toWords('videos list --follow'));
  await ask();
  await until('a row is shown', () => logs.text().includes('echo'));
  await until('videos are followed', () => videos.text().includes('ORDERED'));
  await gateway.stop();
  for (const { text } of [logs, videos])
    await until('it waits', () => text().includes('the database is unavailable (has the gateway stopped?)'));
  assert.equal(isServed(), false);
  gateway = await startGateway({ dataDir });
  const requestId = await ask();
  await until('the next gateway is followed', () => logs.text().includes(requestId));
  for (const follow of [logs, videos]) assert.equal(await interrupt(follow), 0);
  assert.equal(isServed(), true, 'of the gateway');
});

test('a command that follows without a gateway stops the server that it started, also where npm repeats the signal', async () => {
  await gateway.stop();
  const logs = await start(await toWords('logs --follow'));
  await until('rows are shown', () => logs.text().includes('TIME'));
  assert.equal(isServed(), true);
  await interruptTwice(logs);
  assert.equal(isServed(), false);
});

test('any command that is interrupted stops the server that it started', async () => {
  const usage = await start(await toWords('usage'));
  await until('it starts a server', isServed);
  assert.equal(await interrupt(usage), 130);
  await until('the server that was just starting has ended', () => !isServed());
});

test('a command that follows ends with its reader, and with the npx that started it', async () => {
  gateway = await startGateway({ dataDir });
  const unread = await start(await toWords('logs --follow'));
  await until('rows are shown', () => unread.text().includes('TIME'));
  const closed = once(unread.child, 'exit');
  unread.child.stdout?.destroy();
  await ask();
  await closed;
  assert.equal(unread.child.exitCode, 0);

  const pidFile = `${folder.path}/follow.pid`;
  // npx runs a command in a shell, which outlives it.
  const shell = `"$0" "$@" & echo $! > ${pidFile}; wait`;
  const npx = await start(
    ['sh', '-c', `sh -c '${shell}' "$0" "$@"; true`, ...(await toWords('logs --follow'))],
    {
      npm_command: 'exec',
    },
  );
  await until('rows are shown', () => npx.text().includes('TIME'));
  const followed = Number(readFileSync(pidFile, 'utf8'));
  await sleep(1_500); // it has seen its parents
  npx.child.kill('SIGKILL');
  await until('it has ended', () => !existsSync(`/proc/${followed}`));
});
