import {
  type LedgerCheck,
  type StoreSettings,
  createCommandLog,
  describeWaiting,
  openStores,
  readJournal,
} from '#app';
import { formatUsd } from '#base';
import { unlessInterrupted } from '../terminal/interruption.ts';
import { remark } from '../terminal/output.ts';
import { formatTable } from '../terminal/table.ts';

const NOTICE_MS = 10_000;

/** What `ledger check` finds; settlements that wait are those of the data directory. */
interface FoundLedgerCheck extends LedgerCheck {
  /** Of the journal. */
  folder: string;
}

export async function checkLedger(settings: StoreSettings, signal: AbortSignal): Promise<FoundLedgerCheck> {
  await using stores = await openStores(settings, { role: 'command', log: createCommandLog(), signal });
  const { accounts, database } = stores;
  const differences = await unlessInterrupted(signal, withProgress(accounts.ledger.check()));
  const { folder, records } = await readJournal(settings, database);
  return { differences, lost: await accounts.ledger.sumLost(), folder, waiting: records };
}

export function describeLedgerCheck({ differences, waiting, lost, folder }: FoundLedgerCheck): string[] {
  return [
    ...(differences.length === 0
      ? ['the books agree']
      : formatTable(
          ['what', 'subject', 'expected', 'actual'],
          differences.map(({ what, subject, expected, actual }) => [what, subject, expected, actual]),
        )),
    ...(waiting > 0 ? [describeWaiting({ folder, records: waiting })] : []),
    ...(lost === 0n
      ? []
      : [
          `up to ${formatUsd(lost)} USD was lost with crashed processes whose journals are gone, at the operator’s cost`,
        ]),
  ];
}

/** Years of requests take minutes, so progress is reported. */
async function withProgress<Value>(work: Promise<Value>): Promise<Value> {
  const startedMs = performance.now();
  const notice = setInterval(() => {
    remark(`still checking the ledger (${Math.round((performance.now() - startedMs) / 1_000)} s)`);
  }, NOTICE_MS);
  return work.finally(() => clearInterval(notice));
}
