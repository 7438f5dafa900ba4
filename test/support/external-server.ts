import { join } from 'node:path';
import { type EmbeddedServer } from '#storage';
import { type TestServers, createTestServers } from './embedded-server.ts';
import { readPostmasterPid } from './server-processes.ts';

/** A PostgreSQL that gateways reach by address, as an external one; it is restarted when it exits. */
export interface ExternalServer extends AsyncDisposable {
  readonly url: string;
  /** How its server is lost: `crash` is a SIGKILL, `immediate` what `pg_ctl stop -m immediate` sends. */
  kill(how: 'crash' | 'immediate'): void;
  /** Stops it for good, until `start`. */
  stop(): Promise<void>;
  start(): Promise<void>;
}

/** The embedded server has as many as one gateway needs; several share this one. */
const MOST_CONNECTIONS = '200';

export async function startExternalServer(): Promise<ExternalServer> {
  const servers: TestServers = createTestServers();
  const directory = join(servers.folder, 'data');
  const settings = { max_connections: MOST_CONNECTIONS };
  let server = await servers.start(directory, { settings });
  return {
    url: toUrl(server),
    kill: (how) => killPostmaster(directory, how),
    stop: () => server.stop(),
    start: async () => {
      server = await servers.start(directory, { settings });
    },
    [Symbol.asyncDispose]: () => servers[Symbol.asyncDispose](),
  };
}

/** Kills the server of a data directory, if it is running. */
export function killPostmaster(directory: string, how: 'crash' | 'immediate'): void {
  try {
    process.kill(readPostmasterPid(directory), how === 'crash' ? 'SIGKILL' : 'SIGQUIT');
  } catch {
    return; // it has exited, or is between two starts
  }
}

export function toUrl({ connection }: Pick<EmbeddedServer, 'connection'>): string {
  const { host, port, user, password, database } = connection;
  const [at, by, where] = [host, password, database].map(encodeURIComponent);
  return `postgres://${user}:${by}@${at}:${port}/${where}`;
}
