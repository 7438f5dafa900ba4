import { createHash } from 'node:crypto';
import {
  type CopySession,
  FIRST_RUN_LOCK,
  type Database,
  type Migration,
  isBefore02,
  migrate,
  readMigrations,
} from '#storage';
import type { Log } from '#telemetry';
import { leaveRecords } from '../doctor/journal.ts';
import { verifySecret } from '../settings/secret.ts';
import type { StoreSettings } from '../settings/store-settings.ts';
import { BackupReader } from './backup-reader.ts';
import { countLines } from './backup-writer.ts';
import { clearPrefilled, refuseRows } from './empty-database.ts';
import { openExclusiveDatabase } from './exclusive-database.ts';
import type { Manifest, TableSum } from './manifest.ts';
import { createProgress } from './progress.ts';
import { findSteps, readAppliedMigrations } from './schema-state.ts';
import { type Table, copyInto, createPartition, setSequences } from './table.ts';
import { withoutTriggers } from './without-triggers.ts';

interface RestoreOptions {
  file: string;
  log: Log;
  onProgress(line: string): void;
  /** Interrupts it. */
  signal?: AbortSignal;
}

interface RestoreReport {
  createdAt: string;
  rows: number;
  tables: Record<string, number>;
  /** Migrations that were applied to the restored rows. */
  migrated: string[];
}

/** Loads a backup into an empty database: all of it or nothing. */
export async function restoreBackup(
  settings: StoreSettings,
  options: RestoreOptions,
): Promise<RestoreReport> {
  await using opened = new AsyncDisposableStack();
  const reader = await BackupReader.open(options.file);
  const manifest = await reader.readManifest();
  const migrations = await readMigrations();
  const steps = findSteps(manifest.migrations, migrations);
  if (steps === undefined) throw createRefusal(manifest, migrations);
  if (manifest.secretFingerprint !== undefined) await verifySecret(settings, manifest.secretFingerprint);
  const { database, session } = await openExclusiveDatabase(
    settings,
    { ...options, name: 'sluice restore' },
    opened,
  );
  await refuseFilled(database, { steps, tables: manifest.tables });
  await migrate(database, steps);
  const progress = createProgress(options);
  const keep = (records: readonly string[]): Promise<void> =>
    leaveRecords(settings, { database: session, log: options.log, records });
  const sums = await load(session, { reader, manifest, progress, keep });
  await session.query({ text: 'ANALYZE' });
  const counts = Object.entries(sums).map(([name, { rows }]) => [name, rows] as const);
  return {
    createdAt: manifest.createdAt,
    rows: counts.reduce((sum, [, rows]) => sum + rows, 0),
    tables: Object.fromEntries(counts),
    migrated: await migrate(database, migrations),
  };
}

interface Loading {
  reader: BackupReader;
  manifest: Manifest;
  progress(table: string, bytes: number): void;
  /** Keeps the records of a journal. */
  keep(records: readonly string[]): Promise<void>;
}

/** In one transaction, which also keeps a gateway that starts meanwhile from creating its first account. */
async function load(session: CopySession, loading: Loading): Promise<Record<string, TableSum>> {
  const { reader, manifest } = loading;
  await session.query({ text: 'BEGIN' });
  await session.query({ text: `SELECT pg_advisory_xact_lock(${FIRST_RUN_LOCK})` });
  await refuseRows(session, manifest.tables);
  for (const partition of manifest.partitions) await createPartition(session, partition);
  const sums: Record<string, TableSum> = {};
  await withoutTriggers(session, manifest.tables, async () => {
    await clearPrefilled(session);
    for (let name = await reader.nextTable(); name !== undefined; name = await reader.nextTable()) {
      const table = manifest.tables.find((one) => one.name === name);
      if (!table) throw new Error(`the backup has rows of ${name}, which its manifest does not name`);
      sums[name] = await loadTable(session, table, loading);
    }
  });
  compare(sums, reader.trailer.tables);
  await setSequences(session, manifest.sequences);
  await loading.keep(reader.records);
  await session.query({ text: 'COMMIT' });
  return sums;
}

async function loadTable(
  session: CopySession,
  table: Table,
  { reader, progress }: Loading,
): Promise<TableSum> {
  const hash = createHash('sha256');
  let [lines, bytes] = [0, 0];
  const measured = async function* (): AsyncGenerator<Buffer> {
    for await (const chunk of reader.readRows()) {
      hash.update(chunk);
      lines += countLines(chunk);
      bytes += chunk.length;
      progress(table.name, bytes);
      yield chunk;
    }
  };
  const rows = await session.copyIn(copyInto(table), measured());
  if (rows !== lines) throw createDamaged(table.name);
  return { rows, bytes, sha256: hash.digest('hex') };
}

function compare(sums: Record<string, TableSum>, expected: Record<string, TableSum>): void {
  // Not by their number of rows, which versions up to 0.3.0 may have written as 0.
  for (const [name, { sha256 }] of Object.entries(expected))
    if (sums[name]?.sha256 !== sha256) throw createDamaged(name);
}

function createDamaged(table: string): Error {
  return new Error(
    `the backup is damaged: its rows of ${table} are not the rows that were written; use another backup`,
  );
}

function createRefusal({ program, migrations: applied }: Manifest, migrations: readonly Migration[]): Error {
  const name = `the backup is of Sluice ${program}`;
  const last = applied.at(-1)?.name ?? 'none';
  if (isBefore02(applied, migrations))
    return new Error(
      `${name} with an earlier schema (its last migration is ${last}), which this version cannot read; ` +
        'restore it by the version that wrote it, start 0.2.0 on that database once, then this version',
    );
  return new Error(
    `${name}, which is newer than this version (${last}); restore it by that version or a later one`,
  );
}

/** Before anything is changed. */
async function refuseFilled(
  database: Database,
  { steps, tables }: { steps: readonly Migration[]; tables: readonly Table[] },
): Promise<void> {
  const applied = await readAppliedMigrations(database);
  if (applied === undefined) return;
  const known = new Set(steps.map(({ name, checksum }) => `${name} ${checksum}`));
  if (!applied.every(({ name, checksum }) => known.has(`${name} ${checksum}`)))
    throw new Error(
      `the database is not empty: it has tables of another version (${applied.at(-1)?.name ?? 'none'}); ` +
        'use an empty database or data directory',
    );
  if (applied.length === steps.length) await refuseRows(database, tables);
}
