import {
  type ConnectionOptions,
  type CopySession,
  type Database,
  acquireDirectoryLock,
  openCopySession,
  openDatabase,
} from '#storage';
import type { Log } from '#telemetry';
import { refuseOldServer } from '../doctor/server-version.ts';
import { openConnection } from '../lifecycle/open-connection.ts';
import { hidePassword } from '../settings/explain-settings.ts';
import type { StoreSettings } from '../settings/store-settings.ts';

/** A database that is moved, or the one it is moved to. */
export interface Side extends AsyncDisposable {
  /** As it is shown, without a password. */
  name: string;
  settings: StoreSettings;
  connection: ConnectionOptions;
  database: Database;
  session: CopySession;
}

/** Opens a database for this process alone: no gateway runs on an embedded one. */
export async function openSide(settings: StoreSettings, log: Log): Promise<Side> {
  await using opened = new AsyncDisposableStack();
  const connection = await openConnection(settings, { role: 'gateway', log }, opened);
  const database = openDatabase({ connection, applicationName: 'sluice command', maxConnections: 2 });
  opened.defer(() => database.close());
  await refuseOldServer(database);
  if (settings.databaseUrl === undefined) {
    const lock = await acquireDirectoryLock(database);
    opened.defer(() => lock.release());
  }
  const session = await openCopySession(connection, 'sluice move');
  opened.defer(() => session.close());
  const all = opened.move();
  return {
    name:
      settings.databaseUrl === undefined
        ? `the embedded PostgreSQL of ${settings.dataDir}`
        : hidePassword(settings.databaseUrl),
    settings,
    connection,
    database,
    session,
    [Symbol.asyncDispose]: () => all.disposeAsync(),
  };
}
