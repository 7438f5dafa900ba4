import { randomBytes } from 'node:crypto';
import { join } from 'node:path';
import { openStores } from '#app';
import { type Database, type Migration, type SocketConnection, migrate } from '#storage';
import { openPatiently } from './open-patiently.ts';
import { silentLog } from '#telemetry';
import { runCommand } from './command-line.ts';
import { createSharedDatabase } from './shared-server.ts';

const toUrl = ({ host, port, user, password, database }: SocketConnection): string =>
  `postgres://${user}:${encodeURIComponent(password)}@${encodeURIComponent(host)}:${port}/${database}`;

export interface RestoreTarget extends AsyncDisposable {
  database: Database;
  run(...args: string[]): ReturnType<typeof runCommand>;
  /** Starts a gateway's stores on it, which writes what the journal has and closes what no process owns, and stops them. */
  start(): Promise<void>;
  restore(file: string, env?: Record<string, string>): ReturnType<typeof runCommand>;
}

interface TargetOptions {
  /** For data directories of its commands. */
  folder: string;
  secret: string;
  /** The migrations that it has; all of this version by default. */
  migrations?: readonly Migration[];
}

/** A database without rows, and a command that restores into it. */
export async function openRestoreTarget({
  folder,
  secret,
  migrations,
}: TargetOptions): Promise<RestoreTarget> {
  const { connection, ...shared } = await createSharedDatabase();
  const database = openPatiently({ connection, applicationName: 'test', maxConnections: 1 });
  if (migrations) await recreateSchema(database, migrations);
  const env = { DATABASE_URL: toUrl(connection), SLUICE_SECRET: secret };
  const dataDir = join(folder, `data-${randomBytes(4).toString('hex')}`);
  const run = (args: string[], other?: Record<string, string>) =>
    runCommand([...args, '--json', '--data-dir', dataDir], { ...env, ...other });
  return {
    database,
    run: (...args) => run(args),
    restore: (file, other) => run(['restore', file], other),
    start: async () => {
      const settings = { dataDir, databaseUrl: env.DATABASE_URL, secret };
      await using stores = await openStores(settings, { role: 'gateway', log: silentLog });
      while ((await stores.accounts.ledger.sweep()) > 0);
    },
    [Symbol.asyncDispose]: async () => {
      await database.close();
      await shared[Symbol.asyncDispose]();
    },
  };
}

async function recreateSchema(database: Database, migrations: readonly Migration[]): Promise<void> {
  await database.query({ text: 'DROP SCHEMA public CASCADE' });
  await database.query({ text: 'CREATE SCHEMA public' });
  await migrate(database, migrations);
}
