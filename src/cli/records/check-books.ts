import {
  type StoreSettings,
  type Stores,
  createCommandLog,
  describeWaiting,
  openStores,
  readJournal,
} from '#app';
import { formatUsd } from '#base';
import { remark } from '../terminal/output.ts';
import { formatTable } from '../terminal/table.ts';

const NOTICE_MS = 10_000;

/** What `ledger check` finds. */
interface Books {
  differences: Awaited<ReturnType<Stores['accounts']['ledger']['check']>>;
  /** Settlements in the journal of this data directory. */
  waiting: number;
  /** USD that crashed processes may have lost. */
  lost: string;
  /** Of the journal. */
  folder: string;
}

export async function checkBooks(settings: StoreSettings): Promise<Books> {
  await using stores = await openStores(settings, { role: 'command', log: createCommandLog() });
  const { accounts, database } = stores;
  const differences = await withProgress(accounts.ledger.check());
  const lost = formatUsd(await accounts.ledger.sumLost());
  const { folder, records } = await readJournal(settings, database);
  return { differences, lost, folder, waiting: records };
}

export function describeBooks({ differences, waiting, lost, folder }: Books): string[] {
  return [
    ...(differences.length === 0
      ? ['the books agree']
      : formatTable(
          ['what', 'subject', 'expected', 'actual'],
          differences.map(({ what, subject, expected, actual }) => [what, subject, expected, actual]),
        )),
    ...(waiting > 0 ? [describeWaiting({ folder, records: waiting })] : []),
    ...(lost === '0'
      ? []
      : [
          `up to ${lost} USD was lost with crashed processes whose journals are gone, at the operator’s cost`,
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
