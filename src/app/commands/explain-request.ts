import type { Bill, LogRow } from '#logs';
import { epochMs } from '#storage';
import type { Stores } from '../lifecycle/stores/stores.ts';
import { explainBill } from '../lifecycle/explain-bill.ts';

/** The cost of a request, line by line. */
export interface RequestExplanation extends Bill {
  row: LogRow;
}

/** The ledger's record of a request whose row has expired. Amounts are pico-USD. */
export interface ExpiredRequest {
  requestId: string;
  settledAt: number;
  provider: bigint;
  customer: bigint;
}

/** The entries of a request, which outlive its row; absent if there are none. */
export async function findExpired(
  { database }: Pick<Stores, 'database'>,
  requestId: string,
): Promise<ExpiredRequest | undefined> {
  const { rows } = await database.query<{ at: number | null; customer: string; provider: string }>({
    text: `SELECT ${epochMs('min(created_at)')} AS at, sum(customer)::text AS customer,
        sum(provider)::text AS provider
      FROM ledger_entry WHERE request_id = $1 AND kind IN ('usage', 'estimate', 'adjust')`,
    values: [requestId],
  });
  const [entry] = rows;
  if (typeof entry?.at !== 'number') return undefined;
  const { at, customer, provider } = entry;
  return { requestId, settledAt: at, customer: BigInt(customer), provider: BigInt(provider) };
}

/** Explains a bill from its log row and the prices of its version; absent if the request does not exist. */
export async function explainRequest(
  { database, logs }: Pick<Stores, 'database' | 'logs'>,
  requestId: string,
): Promise<RequestExplanation | undefined> {
  const row = await logs.find(requestId, 'all');
  return row && { row, ...(await explainBill(database, row)) };
}
