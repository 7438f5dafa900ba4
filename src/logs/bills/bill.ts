import type { JsonObject } from '#base';
import type { LogRow } from '../rows/log-row.ts';
import { encodeMembers, formatUsd, toSnakeCase } from '#base';

const MILLION = 1_000_000;

/** One line of a bill: units × price ÷ per = amount. Amounts and prices are pico-USD. */
export interface BillLine {
  /** A usage part, `request`, a counted unit, or the field whose value multiplies the lines above it. */
  part: string;
  /** The kind of a unit, or the value of a field. */
  detail?: string;
  /** The provider that billed it; absent in rows of earlier versions. */
  providerId?: string;
  /** The model that is billed, and the version of its prices. */
  model?: string;
  priceVersion: string;
  units: number;
  price: bigint;
  /** How many units the price is for; 1 except for audio and tool time, in milliseconds at a price by the hour. */
  per: number;
  /** A multiplier of the tokens above it; units and price are then 0. */
  factor?: string;
  amount: bigint;
}

/** What a request cost, line by line. Amounts are pico-USD. */
export interface Bill {
  /** At the prices of the request; empty if it was free or they are unknown. */
  lines: BillLine[];
  isPriceKnown: boolean;
  /** The sum of the lines. */
  total: bigint;
  /** What the provider charges; differs from the total if several generations were created for one request. */
  provider: bigint;
  /** What the customer paid. */
  customer: bigint;
}

/** A bill as JSON. The provider's cost is included only for the operator (`isOperator`). */
export function encodeBill(
  row: LogRow,
  bill: Bill,
  isOperator: boolean,
): JsonObject & { lines: EncodedLine[] } {
  return {
    object: 'bill',
    id: row.requestId,
    price_version: row.priceVersion ?? null,
    price_known: bill.isPriceKnown,
    estimated: row.estimated,
    cached: row.cached,
    own_key: row.credential === 'own',
    lines: bill.lines.map((line) => encodeLine(line, row)),
    total: formatUsd(bill.total),
    cost: formatUsd(bill.customer),
    ...(isOperator && { provider_cost: formatUsd(bill.provider) }),
  };
}

function encodeLine(line: BillLine, { usage }: LogRow) {
  const { part, units, price, factor } = line;
  const isTokens = Object.hasOwn(usage, part) && part !== 'webSearches';
  const per = isTokens ? MILLION : line.per;
  return {
    part: toSnakeCase(part).replaceAll(' ', '_'),
    ...encodeMembers(line, ['detail', 'providerId', 'model', 'priceVersion']),
    units: factor === undefined ? units : null,
    price: factor === undefined ? formatUsd(isTokens ? price * BigInt(MILLION) : price) : null,
    per,
    ...encodeMembers(line, ['factor', 'amount']),
  };
}

type EncodedLine = ReturnType<typeof encodeLine>;
