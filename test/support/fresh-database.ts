import { randomBytes } from 'node:crypto';
import { join } from 'node:path';
import { type ConnectionOptions, type Database, migrate, openDatabase, readMigrations } from '#storage';
import { createServerYard } from './embedded-server.ts';
import { seedCluster } from './seed-cluster.ts';

/** A migrated database of a test's own, gone when it is disposed of. */
export interface FreshDatabase extends AsyncDisposable {
  database: Database;
  connection: ConnectionOptions;
  /** Another pool on it, as another process has one. */
  connect(): Promise<Database>;
}

interface Server {
  connection: ConnectionOptions;
  /** A database that is migrated already: to copy it takes half as long as to migrate another. */
  template?: string;
  stop(): Promise<void>;
}

/** On the server that `SLUICE_TEST_DATABASE_URL` names, else on an embedded one that lives as long as the database. */
export async function openFreshDatabase(
  url = process.env['SLUICE_TEST_DATABASE_URL'],
): Promise<FreshDatabase> {
  const server: Server =
    url === undefined ? await startServer() : { connection: { url }, stop: async () => undefined };
  const name = `sluice_test_${randomBytes(6).toString('hex')}`;
  const admin = open(
    server.template === undefined ? server.connection : pointTo(server.connection, 'postgres'),
  );
  await admin.query({ text: `CREATE DATABASE ${name} TEMPLATE ${server.template ?? 'template1'}` });
  const connection = pointTo(server.connection, name);
  const opened: Database[] = [];
  const connect = async (): Promise<Database> => {
    const database = open(connection);
    opened.push(database);
    return database;
  };
  const database = await connect();
  await migrate(database, await readMigrations());
  return {
    database,
    connection,
    connect,
    [Symbol.asyncDispose]: async () => {
      for (const one of opened) await one.close().catch(() => undefined); // a test may have closed it
      await admin.query({ text: `DROP DATABASE ${name} WITH (FORCE)` });
      await admin.close();
      await server.stop();
    },
  };
}

async function startServer(): Promise<Server> {
  const yard = createServerYard();
  await seedCluster(join(yard.folder, 'data'));
  const { connection } = await yard.start(join(yard.folder, 'data'));
  return { connection, template: connection.database, stop: async () => yard[Symbol.asyncDispose]() };
}

function open(connection: ConnectionOptions): Database {
  return openDatabase({ connection, applicationName: 'sluice test' });
}

function pointTo(connection: ConnectionOptions, database: string): ConnectionOptions {
  if (!('url' in connection)) return { ...connection, database };
  return { url: Object.assign(new URL(connection.url), { pathname: `/${database}` }).href };
}
