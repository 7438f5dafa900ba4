import { randomBytes } from 'node:crypto';
import { type ConnectionOptions, type Database, migrate, readMigrations } from '#storage';
import { openPatiently } from './open-patiently.ts';
import { createSharedDatabase } from './shared-server.ts';

/** A migrated database for one test, removed when disposed. */
export interface FreshDatabase extends AsyncDisposable {
  database: Database;
  connection: ConnectionOptions;
  /** Another pool on it, like that of another process. */
  connect(): Promise<Database>;
}

/** Where the database is, and how to remove it. */
interface Place {
  connection: ConnectionOptions;
  remove(): Promise<void>;
}

/** On the server that `SLUICE_TEST_DATABASE_URL` names, else a copy of the migrated one that a process’s tests share. */
export async function openFreshDatabase(
  url = process.env['SLUICE_TEST_DATABASE_URL'],
): Promise<FreshDatabase> {
  const { connection, remove } = await (url === undefined ? createShared() : createDatabase(url));
  const opened: Database[] = [];
  const connect = async (): Promise<Database> => {
    const database = open(connection);
    opened.push(database);
    return database;
  };
  const database = await connect();
  return {
    database,
    connection,
    connect,
    [Symbol.asyncDispose]: async () => {
      for (const one of opened) await one.close().catch(() => undefined); // a test may have closed it
      await remove();
    },
  };
}

async function createShared(): Promise<Place> {
  const shared = await createSharedDatabase();
  return { connection: shared.connection, remove: async () => shared[Symbol.asyncDispose]() };
}

async function createDatabase(url: string): Promise<Place> {
  const name = `sluice_test_${randomBytes(6).toString('hex')}`;
  const admin = open({ url });
  await admin.query({ text: `CREATE DATABASE ${name}` });
  const connection = { url: Object.assign(new URL(url), { pathname: `/${name}` }).href };
  const created = open(connection);
  await migrate(created, await readMigrations());
  await created.close();
  return {
    connection,
    remove: async () => {
      await admin.query({ text: `DROP DATABASE ${name} WITH (FORCE)` });
      await admin.close();
    },
  };
}

function open(connection: ConnectionOptions): Database {
  return openPatiently({ connection, applicationName: 'sluice test' });
}
