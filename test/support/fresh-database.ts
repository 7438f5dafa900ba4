import { randomBytes } from 'node:crypto';
import { type Database, migrate, openDatabase, readMigrations } from '#storage';

/** A migrated database of a test's own, gone when it is disposed of. */
export interface FreshDatabase extends AsyncDisposable {
  database: Database;
  url: string;
  /** Another pool on it, as another process has one. */
  connect(): Promise<Database>;
}

const SERVER = process.env['SLUICE_TEST_DATABASE_URL'] ?? 'postgres://root@127.0.0.1:5432/postgres';

export async function openFreshDatabase(): Promise<FreshDatabase> {
  const name = `sluice_test_${randomBytes(6).toString('hex')}`;
  const open = (url: string): Database =>
    openDatabase({ connection: { url }, applicationName: 'sluice test' });
  const admin = open(SERVER);
  await admin.query({ text: `CREATE DATABASE ${name}` });
  const url = Object.assign(new URL(SERVER), { pathname: `/${name}` }).href;
  const opened: Database[] = [];
  const connect = async (): Promise<Database> => {
    const database = open(url);
    opened.push(database);
    return database;
  };
  const database = await connect();
  await migrate(database, await readMigrations());
  return {
    database,
    url,
    connect,
    [Symbol.asyncDispose]: async () => {
      for (const one of opened) await one.close();
      await admin.query({ text: `DROP DATABASE ${name} WITH (FORCE)` });
      await admin.close();
    },
  };
}
