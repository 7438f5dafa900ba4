import type { UnitCount } from '#catalogue';
import type { Bill, BillLine, LogPart, LogRow } from '#logs';
import type { Database } from '#storage';
import { type Price, explainPrice, explainUnits, nameUnit } from '#catalogue';
import { createUsage } from '#canonical';
import { findPrice } from './configuration/price-versions.ts';

/** The bill of a log row. */
export async function explainBill(database: Database, row: LogRow): Promise<Bill> {
  const price = row.priceVersion === undefined ? undefined : await findPrice(database, row.priceVersion);
  const provider = BigInt(row.provider);
  const customer = BigInt(row.customer);
  const lines = price && provider + customer > 0n ? await explainLines(database, price, row) : [];
  const total = lines.reduce((sum, { amount }) => sum + amount, 0n);
  return { lines, isPriceKnown: price !== undefined, total, provider, customer };
}

/** `request_log.units` is written by this program, so its units are known. */
async function explainLines(database: Database, price: Price, row: LogRow): Promise<BillLine[]> {
  const { usage, units = [], modifiers, modelId, providerId } = row;
  const of = {
    ...(providerId !== undefined && { providerId }),
    ...(modelId !== undefined && { model: modelId }),
    priceVersion: price.version,
  };
  const counted = explainUnits(price.units, units as readonly UnitCount[]);
  const used = modifiers
    ? await explainParts(
        database,
        modifiers.map((part) => ({ ...findProvider(part, row), ...part })),
      )
    : explainPrice(price, usage).map((line) => ({ ...of, ...line, per: 1 }));
  return [
    ...used,
    ...counted
      .filter(({ amount }) => amount > 0n)
      .map(({ unit, kind, count, price: each, per, amount }) => ({
        ...of,
        part: nameUnit(unit),
        ...(kind !== undefined && { detail: kind }),
        units: count,
        price: each,
        per,
        amount,
      })),
  ];
}

/**
 * Rows of earlier versions do not name the provider of a part: if it has the price of the row, that is the provider that
 * answered.
 */
const findProvider = (part: LogPart, { providerId, priceVersion }: LogRow): Pick<LogPart, 'providerId'> =>
  providerId !== undefined && part.priceVersion === priceVersion ? { providerId } : {};

/** The parts of a bill with their factors below them. */
async function explainParts(database: Database, parts: readonly LogPart[]): Promise<BillLine[]> {
  const lines: BillLine[] = [];
  for (const { providerId, model, priceVersion, usage, factors } of parts) {
    const price = await findPrice(database, priceVersion);
    const of = { ...(providerId !== undefined && { providerId }), model, priceVersion };
    for (const line of price ? explainPrice(price, createUsage(usage)) : [])
      lines.push({ ...of, ...line, per: 1 });
    for (const { name, value, factor, amount } of factors)
      lines.push({
        ...of,
        part: name,
        detail: value,
        factor,
        units: 0,
        price: 0n,
        per: 1,
        amount: BigInt(amount),
      });
  }
  return lines;
}
