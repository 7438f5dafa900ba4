import type { UnitCount } from '#catalogue';
import type { LogRow } from '#logs';
import type { Stores } from './stores.ts';
import { type Price, explainPrice, explainUnits } from '#catalogue';
import { findPrice } from './price-book.ts';

/** One position of a bill: units × price ÷ per = amount. */
interface BillLine {
  part: string;
  units: number;
  price: bigint;
  /** How many units the price is for; 1 but for audio, which is counted in milliseconds and priced by the hour. */
  per: number;
  amount: bigint;
}

/** What a request cost, position by position. Amounts are pico-USD. */
export interface RequestExplanation {
  row: LogRow;
  /** Units × price = amount, at the prices the request was charged at; empty where it cost nothing or they are not known. */
  lines: BillLine[];
  isPriceKnown: boolean;
  total: bigint;
  /** What the provider charges; differs from the total where several generations were made for one request. */
  provider: bigint;
  /** What the customer paid. */
  customer: bigint;
}

/** What the ledger alone knows of a request whose row has expired. Amounts are pico-USD. */
export interface ExpiredRequest {
  requestId: string;
  settledAt: number;
  provider: bigint;
  customer: bigint;
}

/** The entries of a request, which outlive its row; absent where there are none. */
export async function findExpired(
  { database }: Pick<Stores, 'database'>,
  requestId: string,
): Promise<ExpiredRequest | undefined> {
  const { rows } = await database.query<{ at: number | null; customer: string; provider: string }>({
    text: `SELECT round(extract(epoch FROM min(created_at)) * 1000)::float8 AS at, sum(customer)::text AS customer,
        sum(provider)::text AS provider
      FROM ledger_entry WHERE request_id = $1 AND kind IN ('usage', 'estimate', 'adjust')`,
    values: [requestId],
  });
  const [entry] = rows;
  if (typeof entry?.at !== 'number') return undefined;
  const { at, customer, provider } = entry;
  return { requestId, settledAt: at, customer: BigInt(customer), provider: BigInt(provider) };
}

/** Explains a bill from its log row and the prices of its version; absent where there is no such request. */
export async function explainRequest(
  { database, logs }: Stores,
  requestId: string,
): Promise<RequestExplanation | undefined> {
  const row = await logs.findAsOperator(requestId);
  if (!row) return undefined;
  const price = row.priceVersion === undefined ? undefined : await findPrice(database, row.priceVersion);
  const provider = BigInt(row.provider);
  const customer = BigInt(row.customer);
  const lines = price && provider + customer > 0n ? explainBill(price, row) : [];
  const total = lines.reduce((sum, { amount }) => sum + amount, 0n);
  return { row, lines, isPriceKnown: price !== undefined, total, provider, customer };
}

/** What `request_log.units` holds was counted by this program, so that its units are ours. */
function explainBill(price: Price, { usage, units = [] }: LogRow): BillLine[] {
  const counted = explainUnits(price.units, units as readonly UnitCount[]);
  return [
    ...explainPrice(price, usage).map((line) => ({ ...line, per: 1 })),
    ...counted
      .filter(({ amount }) => amount > 0n)
      .map(({ unit, kind, count, price: each, per, amount }) => ({
        part: kind === undefined ? NAMES[unit] : `${NAMES[unit]} ${kind}`,
        units: count,
        price: each,
        per,
        amount,
      })),
  ];
}

const NAMES: Record<UnitCount['unit'], string> = {
  image: 'image',
  'video-second': 'video second',
  search: 'search',
  character: 'character',
  'input-audio-ms': 'millisecond of audio',
};
