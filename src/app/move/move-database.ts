import { systemClock, formatCount } from '#base';
import type { Log } from '#telemetry';
import { clearPrefilled } from '../backup/empty-database.ts';
import {
  type Table,
  copyInto,
  copyOutOf,
  createPartition,
  listPartitions,
  listSequences,
  listTables,
  setSequences,
} from '../backup/table.ts';
import { withoutTriggers } from '../backup/without-triggers.ts';
import { refuseUselessDirectory } from '../lifecycle/stores/open-connection.ts';
import { readFingerprint, verifySecret } from '../settings/secret.ts';
import type { StoreSettings } from '../settings/store-settings.ts';
import { type LedgerSums, type TableComparison, compareTables, readLedgerSums } from './compare-tables.ts';
import { type LargeTable, copyLargeTable, findChanged, listLargeTables } from './large-tables.ts';
import { type Side, openSide } from './side.ts';
import { findInstallationId, findSourceSteps, lockSource } from './source.ts';
import { emptyTables, finishTarget, prepareTarget } from './target.ts';

interface MoveOptions {
  from: StoreSettings;
  to: StoreSettings;
  log: Log;
  onProgress(line: string): void;
  /** Interrupts it. */
  signal?: AbortSignal;
}

export interface MoveReport {
  from: string;
  to: string;
  rows: number;
  tables: Record<string, number>;
  /** Whether it continued an earlier one. */
  resumed: boolean;
  /** The same on both sides. */
  books: LedgerSums;
}

interface Move {
  source: Side;
  target: Side;
  tables: Table[];
  onProgress(line: string): void;
}

/**
 * Copies an installation to another, empty database. The source stays as it is. A move that was interrupted is
 * continued by the next one; until one has ended, no gateway starts on the target.
 */
export async function moveDatabase(options: MoveOptions): Promise<MoveReport> {
  refuseUselessDirectory(options.from, { role: 'command' });
  await using source = await openSide(options.from, options);
  const steps = await findSourceSteps(source);
  const installationId = await findInstallationId(source);
  const fingerprint = await readFingerprint(source.database);
  if (fingerprint !== undefined) await verifySecret(options.to, fingerprint);
  await lockSource(source);
  await using target = await openSide(options.to, options);
  const resumed = await prepareTarget(target, { installationId, steps });
  const tables = await listTables(source.session);
  for (const partition of await listPartitions(source.session))
    await createPartition(target.session, partition);
  const move = { source, target, tables, onProgress: options.onProgress };
  const large = await listLargeTables(source.session, tables);
  if (resumed) await discardChanged(move, large);
  await copyLarge(move, large);
  const { rows, books } = await finish(move, large);
  await target.session.query({ text: 'ANALYZE' });
  return {
    from: source.name,
    to: target.name,
    rows: Object.values(rows).reduce((sum, count) => sum + count, 0),
    tables: rows,
    resumed,
    books,
  };
}

type Moved = Pick<TableComparison, 'rows'> & { books: LedgerSums };

/** A gateway that ran since an earlier run may have changed what that has copied: those tables are copied again. */
async function discardChanged(
  { source, target, onProgress }: Move,
  large: readonly LargeTable[],
): Promise<void> {
  onProgress('comparing the tables moved before');
  const changed = await findChanged(large, { source: source.session, target: target.session });
  if (changed.length === 0) return;
  onProgress(`${namesOf(changed)}: changed since it was moved; copying it again`);
  await emptyTables(target.session, changed);
}

async function copyLarge({ source, target, onProgress }: Move, large: readonly LargeTable[]): Promise<void> {
  let lastMs = systemClock.monotonicMs();
  const counts = new Map<string, number>();
  const onRows = (table: string, rows: number): void => {
    const sum = (counts.get(table) ?? 0) + rows;
    counts.set(table, sum);
    const nowMs = systemClock.monotonicMs();
    if (nowMs - lastMs < REPORT_EVERY_MS) return;
    lastMs = nowMs;
    onProgress(`${table}: ${formatCount(sum, 'row')} copied`);
  };
  for (const table of large)
    await copyLargeTable(table, { source: source.session, target: target.session, onRows });
}

const REPORT_EVERY_MS = 2_000;

/** Copies all other tables, compares everything and completes the move, in one transaction. */
async function finish(
  { source, target, tables, onProgress }: Move,
  large: readonly LargeTable[],
): Promise<Moved> {
  const [from, to] = [source.session, target.session];
  const small = tables.filter(({ name }) => !large.some((one) => one.name === name));
  await to.query({ text: 'BEGIN' });
  await withoutTriggers(to, small, async () => {
    await clearPrefilled(to);
    for (const table of small) await to.copyIn(copyInto(table), from.copyOut(copyOutOf(table)));
  });
  await setSequences(to, await listSequences(from));
  onProgress('comparing every row');
  const { rows, different } = await compareTables(tables, { source: from, target: to });
  const [books, moved] = [await readLedgerSums(from), await readLedgerSums(to)];
  const areSame = JSON.stringify(books) === JSON.stringify(moved);
  if (different.length > 0 || !areSame) throw createDifference(different);
  await finishTarget(to);
  await to.query({ text: 'COMMIT' });
  return { rows, books };
}

const namesOf = (tables: readonly Table[]): string => tables.map(({ name }) => name).join(', ');

function createDifference(tables: readonly Table[]): Error {
  return new Error(
    `the rows of ${namesOf(tables) || 'the ledger'} are not the same in both databases; nothing was completed. ` +
      'Move to another, empty database',
  );
}
