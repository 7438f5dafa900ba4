import {
  type ConnectionOptions,
  type CopySession,
  type Database,
  acquireDirectoryLock,
  openCopySession,
  openDatabase,
} from '#storage';
import type { Log } from '#telemetry';
import { refuseUnfitDatabase } from '../doctor/refuse-unfit-database.ts';
import { openConnection } from '../lifecycle/stores/open-connection.ts';
import type { StoreSettings } from '../settings/store-settings.ts';

/** A database that this process uses alone: no gateway runs on an embedded one. */
export interface ExclusiveDatabase {
  connection: ConnectionOptions;
  database: Database;
  session: CopySession;
}

/** Opens the database until `opened` is disposed or the signal aborts. `name`: that of the session in the server. */
export async function openExclusiveDatabase(
  settings: StoreSettings,
  { log, name, signal }: { log: Log; name: string; signal?: AbortSignal | undefined },
  opened: AsyncDisposableStack,
): Promise<ExclusiveDatabase> {
  const connection = await openConnection(settings, { role: 'gateway', log, signal }, opened);
  const database = openDatabase({ connection, applicationName: 'sluice command', maxConnections: 2 });
  opened.defer(() => database.close());
  await refuseUnfitDatabase(database);
  if (settings.databaseUrl === undefined) {
    const lock = await acquireDirectoryLock(database);
    opened.defer(() => lock.release());
  }
  const session = await openCopySession(connection, { applicationName: name, signal });
  opened.defer(() => session.close());
  return { connection, database, session };
}
