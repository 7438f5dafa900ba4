import { join } from 'node:path';
import type { Database, SocketConnection } from '#storage';
import { openPatiently } from './open-patiently.ts';
import { type TestServers, createTestServers } from './embedded-server.ts';
import { seedCluster } from './seed-cluster.ts';

/** A migrated, empty database of the server that a process's tests share. */
export interface SharedDatabase extends AsyncDisposable {
  connection: SocketConnection;
}

interface SharedServer {
  servers: TestServers;
  connection: SocketConnection;
  /** On a database of its own: one that is copied may have no connection. */
  admin: Database;
}

/** Of PostgreSQL itself; without connections, so that it can be copied. */
const ADMIN_DATABASE = 'template1';

/** Syncing the 600 files of a new database takes most of its time, and nothing here outlives the server. */
const SETTINGS = {
  fsync: 'off',
  full_page_writes: 'off', // each new database is a checkpoint, after which every page would be logged again
  wal_level: 'minimal',
  autovacuum: 'off', // a database is dropped before it would be of use
  max_connections: '120', // several gateways of one test, while those of the test before leave
};

/** A busy machine takes long to copy a database. */
const CREATION_MS = 60_000;

let running: Promise<SharedServer> | undefined;
let creating: Promise<undefined> = Promise.resolve(undefined);
let users = 0;
let serial = 0;

/**
 * Creates a database on a server that runs while someone uses it: a server of its own for each would cost six times
 * the processor time.
 */
export async function createSharedDatabase(): Promise<SharedDatabase> {
  const release = useSharedServer();
  const server = await (running ??= startServer());
  const name = `test_${(serial += 1)}`;
  const text = `CREATE DATABASE ${name} TEMPLATE ${server.connection.database} STRATEGY FILE_COPY`;
  // One after the other: who waits for the connection itself gives up soon.
  const created = creating.then(() => server.admin.query({ text }));
  creating = created.then(
    () => undefined,
    () => undefined,
  );
  await created;
  return {
    connection: { ...server.connection, database: name },
    [Symbol.asyncDispose]: async () => {
      await server.admin.query({ text: `DROP DATABASE ${name} WITH (FORCE)` });
      await release();
    },
  };
}

/** Keeps the server, once it runs, until all its users have released it. */
export function useSharedServer(): () => Promise<void> {
  users += 1;
  return async () => {
    users -= 1;
    if (users > 0 || !running) return;
    const ending = running;
    running = undefined;
    const { admin, servers } = await ending;
    await admin.close();
    await servers[Symbol.asyncDispose]();
  };
}

async function startServer(): Promise<SharedServer> {
  const servers = createTestServers();
  const directory = join(servers.folder, 'data');
  await seedCluster(directory);
  const { connection } = await servers.start(directory, { settings: SETTINGS });
  const admin = openPatiently({
    connection: { ...connection, database: ADMIN_DATABASE },
    applicationName: 'sluice test',
    maxConnections: 1,
    statementTimeoutMs: CREATION_MS,
  });
  return { servers, connection, admin };
}
