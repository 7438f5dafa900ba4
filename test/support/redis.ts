import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { connect } from 'node:net';
import type { KeyValue } from '#storage';
import { silentLog } from '#telemetry';
import { openRedisKeyValue } from '../../src/storage/key-value/redis-key-value.ts';
import { findClosedPort } from './mock-upstream.ts';
import { own } from './owned.ts';
import { createTemporaryFolder } from './temporary.ts';
import { until } from './until.ts';

/** A Redis of a test's own. */
interface TestRedis extends AsyncDisposable {
  readonly url: string;
  /**
   * A connection like that of one process, with a configurable timeout: the result must not depend on the machine's
   * load.
   */
  connect(commandTimeoutMs?: number): Promise<KeyValue>;
  /** Kills it; what it held is lost. */
  stop(): Promise<void>;
  /** Starts it again at the same address. */
  start(): Promise<void>;
  /** Suspends or resumes its process. */
  signal(name: 'SIGSTOP' | 'SIGCONT'): void;
  /** Deletes everything in it. */
  flush(): Promise<void>;
}

/** Starts a Redis on a free port; `undefined` if the program is not installed. */
export async function startRedis(): Promise<TestRedis | undefined> {
  const folder = createTemporaryFolder('sluice-redis-');
  const port = await findClosedPort();
  const url = `redis://127.0.0.1:${port}`;
  const opened: KeyValue[] = [];
  let server: ChildProcess | undefined = await launch(port, folder.path);
  if (!server) {
    folder.remove();
    return undefined;
  }
  const stop = async (): Promise<void> => {
    const dying = server;
    server = undefined;
    if (!dying) return;
    const gone = once(dying, 'exit');
    dying.kill('SIGKILL');
    await gone;
  };
  return {
    url,
    connect: async (commandTimeoutMs = 5_000) => {
      const store = await openRedisKeyValue({ url, log: silentLog, commandTimeoutMs });
      opened.push(store);
      await until('Redis is used', async () => (await store.evaluate?.('return 1', [], [])) === 1);
      return store;
    },
    stop,
    start: async () => {
      server = await launch(port, folder.path);
    },
    signal: (name) => void server?.kill(name),
    flush: () => flush(port),
    [Symbol.asyncDispose]: async () => {
      for (const store of opened) await store.close();
      await stop();
      folder.remove();
    },
  };
}

async function flush(port: number): Promise<void> {
  const socket = connect({ port, host: '127.0.0.1' });
  socket.write('FLUSHALL\r\n');
  await once(socket, 'data');
  socket.destroy();
}

async function launch(port: number, directory: string): Promise<ChildProcess | undefined> {
  const args = ['--port', String(port), '--bind', '127.0.0.1', '--save', '', '--dir', directory];
  const server = own(spawn('redis-server', args, { detached: true, stdio: ['ignore', 'pipe', 'ignore'] }));
  const ready = new Promise<boolean>((resolve) => {
    server.once('error', () => resolve(false));
    server.once('exit', () => resolve(false));
    server.stdout.on('data', (text: Buffer) => {
      if (text.includes('Ready to accept connections')) resolve(true);
    });
  });
  return (await ready) ? server : undefined;
}
