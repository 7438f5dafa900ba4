import { isSettlementRecord } from '#accounts';
import { createRandomText, parseJsonObject, reasonOf } from '#base';
import {
  type Database,
  Journal,
  type JournalContents,
  type Queryable,
  findInstanceValue,
  inspectJournal,
  keepInstanceValue,
} from '#storage';
import type { Log } from '#telemetry';
import { join } from 'node:path';
import type { Finding } from './finding.ts';
import type { StoreSettings } from '../settings/store-settings.ts';

const INSTALLATION = 'installation_id';

/** What is pending in the journal of a data directory. */
export interface JournalState extends Omit<JournalContents, 'records'> {
  folder: string;
  /** Settlements. */
  records: number;
}

/** Opens the journal of a data directory, whose records belong to this database. */
export async function openJournal(
  { dataDir }: StoreSettings,
  { database, log }: { database: Database; log: Log },
): Promise<Journal> {
  const journal = new Journal({
    folder: toFolder(dataDir),
    // Whichever process creates the id of this database, it is permanent.
    installation: await keepInstanceValue(database, INSTALLATION, createRandomText(22)),
    log,
  });
  await journal.open();
  return journal;
}

/** The records of this data directory that belong to a database and may not be in it. */
export async function readRecords({ dataDir }: StoreSettings, database: Queryable): Promise<string[]> {
  const installation = await findInstanceValue(database, INSTALLATION);
  if (installation === undefined) return [];
  return (await inspectJournal(toFolder(dataDir), undefined, installation)).records;
}

/** Leaves records for the next start of a gateway, which writes them to their database. */
export async function leaveRecords(
  { dataDir }: StoreSettings,
  { database, log, records }: { database: Queryable; log: Log; records: readonly string[] },
): Promise<void> {
  const installation = await findInstanceValue(database, INSTALLATION);
  if (installation === undefined || records.length === 0) return;
  const journal = new Journal({ folder: toFolder(dataDir), installation, log });
  await journal.open();
  await Promise.all(records.map((record) => journal.append(record)));
  await journal.close();
}

/** Without the records that a given database already has: they are about to be confirmed. */
export async function readJournal(
  { dataDir }: Pick<StoreSettings, 'dataDir'>,
  database?: Database,
): Promise<JournalState> {
  const folder = toFolder(dataDir);
  const { records: texts, ...contents } = await inspectJournal(folder, isSettlementRecord);
  const ids = texts
    .map((text) => parseJsonObject(text)?.['id'])
    .map((id) => (typeof id === 'string' ? id : ''));
  const settled = new Set(database && ids.length > 0 ? await findSettled(database, ids) : []);
  return { folder, ...contents, records: ids.filter((id) => !settled.has(id)).length };
}

async function findSettled(database: Database, requestIds: readonly string[]): Promise<string[]> {
  const text = 'SELECT DISTINCT request_id AS id FROM ledger_entry WHERE request_id = ANY ($1)';
  return (await database.query<{ id: string }>({ text, values: [requestIds] })).rows.map(({ id }) => id);
}

/** Pending settlements are safe, but the operator should know. */
export async function checkJournal(
  settings: Pick<StoreSettings, 'dataDir'>,
  journal?: JournalState,
): Promise<Finding> {
  const name = 'journal';
  try {
    return { name, ...toFinding(journal ?? (await readJournal(settings))) };
  } catch (error) {
    const reason = reasonOf(error);
    return {
      name,
      state: 'problem',
      message: `it cannot be read: ${reason}; make it readable for this user`,
    };
  }
}

function toFinding({ folder, records, damaged, unknown }: JournalState): Omit<Finding, 'name'> {
  if (damaged > 0 || unknown.length > 0) {
    const what =
      damaged > 0 ? `${damaged} damaged records` : `files of another version: ${unknown.join(', ')}`;
    return {
      state: 'problem',
      message: `${folder} holds ${what}; keep the files and restore the disk they are from`,
    };
  }
  if (records === 0) return { state: 'ok', message: 'no settlement waits for the database' };
  return { state: 'warning', message: describeWaiting({ folder, records }) };
}

/** What is pending, and what will resolve it. */
export function describeWaiting({ folder, records }: Pick<JournalState, 'folder' | 'records'>): string {
  const what = records === 1 ? '1 settlement waits' : `${records} settlements wait`;
  return `${what} in ${folder}; a running gateway writes them when the database answers, any other at its next start`;
}

function toFolder(dataDir: string): string {
  return join(dataDir, 'journal');
}
