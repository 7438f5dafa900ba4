import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import type { Server } from 'node:net';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';
import { parseJsonObject } from '#base';
import { own } from '../test/support/owned.ts';

/** Options for a process to collect its garbage on a signal, so that memory figures exclude it. */
export const GC_OPTIONS = [
  '--expose-gc',
  '--import',
  `data:text/javascript,${encodeURIComponent("process.on('SIGUSR2', () => globalThis.gc?.())")}`,
];

/** A server of the benchmark in a process of its own. */
interface BenchServer extends AsyncDisposable {
  pid: number;
  origin: string;
}

/** Prints where a server listens, for the process that started it. */
export function announce(server: Server): void {
  const address = server.address();
  if (address && typeof address === 'object') console.log(JSON.stringify({ port: address.port }));
}

/** Starts a script of this folder and waits for its announcement. */
export async function startServer(script: string, args: string[] = []): Promise<BenchServer> {
  const child = spawnScript(script, args, GC_OPTIONS);
  const port = parseJsonObject(await readLine(child))?.['port'];
  if (typeof port !== 'number') throw new Error(`${script} announced no port`);
  return {
    pid: child.pid ?? 0,
    origin: `http://127.0.0.1:${port}`,
    async [Symbol.asyncDispose]() {
      child.kill('SIGKILL');
      await once(child, 'exit');
    },
  };
}

export function spawnScript(script: string, args: string[], nodeOptions: string[] = []): ChildProcess {
  const path = fileURLToPath(new URL(script, import.meta.url));
  return own(
    spawn(process.execPath, [...nodeOptions, path, ...args], {
      detached: true,
      stdio: ['pipe', 'pipe', 'inherit'],
    }),
  );
}

/** The next line a process prints; throws if it exits instead. */
export async function readLine(child: ChildProcess): Promise<string> {
  if (!child.stdout) throw new Error('no standard output');
  const lines = createInterface({ input: child.stdout });
  const { promise, resolve, reject } = Promise.withResolvers<string>();
  lines.once('line', resolve);
  child.once('exit', (code) => {
    reject(new Error(`${child.spawnargs.join(' ')} left with code ${String(code)}`));
  });
  return promise.finally(() => lines.close());
}
