import type { PicoUsd } from '#base';
import type { Usage, UsagePart } from '#canonical';
import type { AppliedFactor } from './modifier.ts';
import type { Price } from '../price.ts';
import { USAGE_PARTS, createUsage } from '#canonical';
import { priceParts } from './priced-part.ts';
import { priceUsage } from '../price.ts';
import { type UnitCount, priceUnits } from '../unit-price.ts';

/** The counts of a row that a request was billed by. */
export const KEPT_PARTS: readonly UsagePart[] = USAGE_PARTS;

type KeptUsage = Partial<Record<UsagePart, number>>;

/** The usage of one model, or of one of several choices, at its own rate. */
interface KeptPart {
  model: string;
  priceVersion: string;
  usage: KeptUsage;
  factors?: readonly AppliedFactor[];
}

/** The parts of a log row that a request was billed by. */
export interface KeptBill {
  priceVersion: string;
  usage: KeptUsage;
  units: readonly UnitCount[] | null;
  modifiers: readonly KeptPart[] | null;
}

/**
 * Recomputes a bill from its usage, its units and the prices of their versions; `undefined` if a price is no longer
 * known. Throws RangeError naming a unit without a price, and for a usage that is not the sum of its parts.
 */
export function recountBill(bill: KeptBill, prices: ReadonlyMap<string, Price>): PicoUsd | undefined {
  const price = prices.get(bill.priceVersion);
  if (!price) return undefined;
  const units = bill.units ? priceUnits(price.units, bill.units) : 0n;
  if (!bill.modifiers)
    return isNothing(bill.usage) ? units : priceUsage(price, createUsage(bill.usage)) + units;
  const parts = [];
  for (const { model: modelId, priceVersion, usage, factors = [] } of bill.modifiers) {
    const own = prices.get(priceVersion);
    if (!own) return undefined;
    parts.push({ modelId, price: own, factors, usage: createUsage(usage) });
  }
  assertWhole(
    bill.usage,
    parts.map(({ usage }) => usage),
  );
  return priceParts(parts) + units;
}

/** A request without any usage is not charged the price of a request. */
function isNothing(usage: KeptUsage): boolean {
  return USAGE_PARTS.every((part) => !usage[part]);
}

function assertWhole(whole: KeptUsage, parts: readonly Usage[]): void {
  for (const part of USAGE_PARTS) {
    const sum = parts.reduce((total, usage) => total + usage[part], 0);
    if (sum !== (whole[part] ?? 0)) throw new RangeError(`${sum} ${part} by its parts`);
  }
}
