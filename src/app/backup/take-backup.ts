import { reportLeases } from '#accounts';
import { systemClock } from '#base';
import {
  type CopySession,
  type Queryable,
  isDirectoryTaken,
  openCopySession,
  openDatabase,
  readMigrations,
} from '#storage';
import type { Log } from '#telemetry';
import { readFingerprint } from '../settings/secret.ts';
import { readRecords } from '../doctor/journal.ts';
import { refuseOldServer } from '../doctor/server-version.ts';
import { openConnection, refuseUselessDirectory } from '../lifecycle/stores/open-connection.ts';
import { version } from '../settings/package.ts';
import type { StoreSettings } from '../settings/store-settings.ts';
import { BackupWriter } from './backup-writer.ts';
import { FORMAT, type Manifest } from './manifest.ts';
import { createProgress } from './progress.ts';
import { findSteps, readAppliedMigrations } from './schema-state.ts';
import { copyOutOf, listPartitions, listSequences, listTables } from './table.ts';

interface BackupOptions {
  file: string;
  log: Log;
  /** Receives a line now and then. */
  onProgress(line: string): void;
  /** Interrupts it. */
  signal?: AbortSignal;
}

interface BackupReport {
  path: string;
  bytes: number;
  createdAt: string;
  rows: number;
  tables: Record<string, number>;
  /** Whether every running gateway wrote its settlements before. */
  complete: boolean;
}

const ROLE = { role: 'command' } as const;

/** Writes everything in the database to a file, as of one moment. Gateways keep running. */
export async function takeBackup(settings: StoreSettings, options: BackupOptions): Promise<BackupReport> {
  const { log, signal } = options;
  await using opened = new AsyncDisposableStack();
  refuseUselessDirectory(settings, ROLE);
  const writer = await BackupWriter.create(options.file);
  opened.defer(() => writer.abandon());
  const connection = await openConnection(settings, { ...ROLE, log, signal }, opened);
  const database = openDatabase({ connection, applicationName: 'sluice command', maxConnections: 1 });
  opened.defer(() => database.close());
  await refuseOldServer(database);
  await refuseUnknownSchema(database);
  const isRunning = settings.databaseUrl !== undefined || (await isDirectoryTaken(database));
  const complete = !isRunning || (await reportLeases({ database, clock: systemClock }));
  // Before the snapshot: settlements that are not in it are in the journal.
  const records = await readRecords(settings, database);
  const session = await openCopySession(connection, { applicationName: 'sluice backup', signal });
  opened.defer(() => session.close());
  const manifest = await beginSnapshot(session);
  await writer.begin(manifest);
  const progress = createProgress(options);
  for (const table of manifest.tables)
    await writer.add(table, session.copyOut(copyOutOf(table)), (bytes) => progress(table.name, bytes));
  await session.query({ text: 'COMMIT' });
  await writer.addRecords(records);
  const { tables, path, bytes } = await writer.end();
  const counts = Object.entries(tables).map(([name, { rows }]) => [name, rows] as const);
  return {
    path,
    bytes,
    createdAt: manifest.createdAt,
    rows: counts.reduce((sum, [, rows]) => sum + rows, 0),
    tables: Object.fromEntries(counts),
    complete,
  };
}

/** A backup of a schema that no version of this program creates could not be restored. */
async function refuseUnknownSchema(database: Queryable): Promise<void> {
  const applied = await readAppliedMigrations(database);
  if (applied === undefined) throw new Error('the database is empty; there is nothing to back up');
  if (findSteps(applied, await readMigrations()) === undefined)
    throw new Error(
      `the schema of the database is not one of this version (its last migration is ${applied.at(-1)?.name ?? 'none'}); ` +
        'back it up with the version of Sluice that runs on it',
    );
}

/** Everything read from here on is of one moment. The locks keep tables and months from being dropped meanwhile. */
async function beginSnapshot(session: CopySession): Promise<Manifest> {
  const names = (await listTables(session)).map(({ name }) => name);
  await session.query({ text: 'BEGIN ISOLATION LEVEL REPEATABLE READ, READ ONLY' });
  await session.query({ text: `LOCK TABLE ${names.join(', ')} IN ACCESS SHARE MODE` });
  const { rows } = await session.query<{ now: Date }>({ text: 'SELECT clock_timestamp() AS now' });
  return {
    format: FORMAT,
    program: version,
    createdAt: (rows[0]?.now ?? new Date(0)).toISOString(),
    secretFingerprint: await readFingerprint(session),
    migrations: (await readAppliedMigrations(session)) ?? [],
    partitions: await listPartitions(session),
    sequences: await listSequences(session),
    tables: await listTables(session),
  };
}
