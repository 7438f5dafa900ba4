import { type ChildProcess, spawn } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { once } from 'node:events';
import { rmSync } from 'node:fs';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';
import {
  type Database,
  type EmbeddedServer,
  type EmbeddedServerOptions,
  startEmbeddedServer,
} from '#storage';
import { openPatiently } from './open-patiently.ts';
import { silentLog } from '#telemetry';
import { stopOrphanDatabase } from './orphan-database.ts';
import { own } from './owned.ts';
import { createTemporaryFolder } from './temporary.ts';

/** Why a test that drops root's rights is skipped. */
export const needsRoot = process.getuid?.() === 0 ? false : 'only root has to give up its rights';

/** Another process that runs a program, and its first line of output. */
interface OtherProcess {
  child: ChildProcess;
  line: string;
  /** Kills it as a crash would. */
  kill(): Promise<void>;
}

/** A folder for embedded servers; disposing stops every server started in it, by this process or another. */
export interface TestServers extends AsyncDisposable {
  folder: string;
  start(directory: string, options?: Partial<EmbeddedServerOptions>): Promise<EmbeddedServer>;
  /** The program has `directory`, `log` and the names of the storage room. */
  runOther(directory: string, program: string): Promise<OtherProcess>;
}

export function createTestServers(): TestServers {
  const folder = createTemporaryFolder('sluice-pg-');
  const servers: EmbeddedServer[] = [];
  const children: ChildProcess[] = [];
  return {
    folder: folder.path,
    start: async (directory, options) => {
      const server = await startEmbeddedServer({ directory, log: silentLog, ...options });
      servers.push(server);
      return server;
    },
    runOther: async (directory, program) => {
      const child = runProgram(directory, program);
      children.push(child);
      if (!child.stdout) throw new Error('the other process has no standard output');
      const [line] = (await once(createInterface({ input: child.stdout }), 'line')) as [string];
      const kill = async (): Promise<void> => {
        child.kill('SIGKILL');
        await once(child, 'exit');
      };
      return { child, line, kill };
    },
    [Symbol.asyncDispose]: async () => {
      for (const child of children) child.kill('SIGKILL');
      for (const server of servers) {
        await discardServer(server);
        if (!server.location.startsWith(folder.path))
          rmSync(server.location, { recursive: true, force: true });
      }
      folder.remove();
    },
  };
}

/** Stops a server whose cluster is discarded, without flushing its data. */
async function discardServer(server: EmbeddedServer): Promise<void> {
  await server.leave();
  await stopOrphanDatabase(server.location, 'SIGQUIT');
}

function runProgram(directory: string, program: string): ChildProcess {
  const code = `import { startEmbeddedServer, connectEmbedded, openDatabase, acquireDirectoryLock } from '#storage';
    import { silentLog as log } from '#telemetry';
    const directory = ${JSON.stringify(directory)};
    ${program}`;
  return own(
    spawn(process.execPath, ['--input-type=module-typescript', '--eval', code], {
      cwd: fileURLToPath(new URL('../..', import.meta.url)), // where `#storage` resolves
      detached: true,
      stdio: ['ignore', 'pipe', 'inherit'],
    }),
  );
}

export function connect(server: EmbeddedServer): Database {
  return openPatiently({ connection: server.connection, applicationName: 'sluice test', maxConnections: 2 });
}

/** A new, empty database of a server, and a connection to it. */
export async function openEmptyDatabase(server: EmbeddedServer): Promise<Database> {
  const name = `empty_${randomBytes(4).toString('hex')}`;
  const admin = connect(server);
  await admin.query({ text: `CREATE DATABASE ${name}` });
  await admin.close();
  return openPatiently({
    connection: { ...server.connection, database: name },
    applicationName: 'sluice test',
  });
}

/** The value of one expression. */
export async function readOne(database: Database, expression: string): Promise<unknown> {
  const { rows } = await database.query<{ value: unknown }>({ text: `SELECT (${expression}) AS value` });
  return rows[0]?.value;
}

export function clusterOf(directory: string): string {
  return join(directory, 'postgres');
}
