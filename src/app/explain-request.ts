import type { PriceLine, UnitLine } from '#catalogue';
import type { LogRow } from '#logs';
import type { Stores } from './stores.ts';
import { explainPrice, explainUnits } from '#catalogue';
import { JobStore } from '#videos';
import { findPrice } from './price-book.ts';

/** One position: units × price = amount. */
export interface ExplainedLine {
  part: PriceLine['part'] | UnitLine['unit'];
  units: number;
  price: bigint;
  amount: bigint;
}

/** What a request cost, position by position. Amounts are pico-USD. */
export interface RequestExplanation {
  row: LogRow;
  /** Units × price = amount, at the prices the request was charged at; empty where it cost nothing or they are not known. */
  lines: ExplainedLine[];
  isPriceKnown: boolean;
  total: bigint;
  /** What the provider charges; differs from the total where several generations were made for one request. */
  provider: bigint;
  /** What the customer paid. */
  customer: bigint;
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
  const lines: ExplainedLine[] = [];
  if (price && provider + customer > 0n) {
    lines.push(...explainPrice(price, row.usage));
    const job = await new JobStore(database).findAsOperator(requestId);
    const counts = job ? [{ unit: 'video-second' as const, kind: job.size, count: job.seconds }] : [];
    for (const { unit, count, ...line } of explainUnits(price.units, counts))
      lines.push({ part: unit, units: count, price: line.price, amount: line.amount });
  }
  const total = lines.reduce((sum, { amount }) => sum + amount, 0n);
  return { row, lines, isPriceKnown: price !== undefined, total, provider, customer };
}
