import type { UnitCount } from '#catalogue';
import type { LogPart, LogRow } from '#logs';
import type { Stores } from '../lifecycle/stores.ts';
import type { Database } from '#storage';
import { type Price, explainPrice, explainUnits } from '#catalogue';
import { createUsage } from '#canonical';
import { findPrice } from '../lifecycle/price-book.ts';

/** One line of a bill: units × price ÷ per = amount. */
interface BillLine {
  part: string;
  units: number;
  price: bigint;
  /**
   * How many units the price is for; 1 except for audio and tool time, which are counted in milliseconds and priced
   * by the hour.
   */
  per: number;
  /** A multiplier of the tokens above it; units and price are then 0. */
  factor?: string;
  amount: bigint;
}

/** The cost of a request, line by line. Amounts are pico-USD. */
export interface RequestExplanation {
  row: LogRow;
  /** Units × price = amount, at the prices of the request; empty if it was free or they are unknown. */
  lines: BillLine[];
  isPriceKnown: boolean;
  total: bigint;
  /** What the provider charges; differs from the total if several generations were created for one request. */
  provider: bigint;
  /** What the customer paid. */
  customer: bigint;
}

/** What only the ledger has of a request whose row has expired. Amounts are pico-USD. */
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

/** Explains a bill from its log row and the prices of its version; absent if the request does not exist. */
export async function explainRequest(
  { database, logs }: Stores,
  requestId: string,
): Promise<RequestExplanation | undefined> {
  const row = await logs.findAsOperator(requestId);
  if (!row) return undefined;
  const price = row.priceVersion === undefined ? undefined : await findPrice(database, row.priceVersion);
  const provider = BigInt(row.provider);
  const customer = BigInt(row.customer);
  const lines = price && provider + customer > 0n ? await explainBill(database, price, row) : [];
  const total = lines.reduce((sum, { amount }) => sum + amount, 0n);
  return { row, lines, isPriceKnown: price !== undefined, total, provider, customer };
}

/** `request_log.units` is written by this program, so its units are known. */
async function explainBill(database: Database, price: Price, row: LogRow): Promise<BillLine[]> {
  const { usage, units = [], modifiers } = row;
  const counted = explainUnits(price.units, units as readonly UnitCount[]);
  const used = modifiers
    ? await explainParts(database, modifiers)
    : explainPrice(price, usage).map((line) => ({ ...line, per: 1 }));
  return [
    ...used,
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

/** The parts of a bill with their factors below them; models are only named if there are several parts. */
async function explainParts(database: Database, parts: readonly LogPart[]): Promise<BillLine[]> {
  const lines: BillLine[] = [];
  for (const { model, priceVersion, usage, factors } of parts) {
    const price = await findPrice(database, priceVersion);
    const prefix = parts.length > 1 ? `${model} ` : '';
    for (const line of price ? explainPrice(price, createUsage(usage)) : [])
      lines.push({ ...line, part: prefix + line.part, per: 1 });
    for (const { name, value, factor, amount } of factors)
      lines.push({
        part: `${prefix}${name} ${value}`,
        units: 0,
        price: 0n,
        per: 1,
        factor,
        amount: BigInt(amount),
      });
  }
  return lines;
}

const NAMES: Record<UnitCount['unit'], string> = {
  image: 'image',
  'video-second': 'video second',
  search: 'search',
  character: 'character',
  'input-audio-ms': 'millisecond of audio',
  tool: 'hosted tool',
  'tool-ms': 'millisecond of hosted tool',
};
