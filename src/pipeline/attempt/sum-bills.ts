import type { PicoUsd } from '#base';
import { sumUsages } from '#canonical';
import { priceParts } from '#catalogue';
import type { Bill } from '../request/trip.ts';
import { mergeUnits } from '../request/tool-plan.ts';

/** One bill for all choices. Tokens are priced together; a choice for which nothing is owed adds nothing. */
export function sumBills(bills: readonly Bill[]): Omit<Bill, 'customer'> {
  const units = mergeUnits(bills.flatMap((bill) => bill.units ?? []));
  return {
    usage: sumUsages(bills.map(({ usage }) => usage)),
    parts: bills.flatMap((bill) => bill.parts ?? []),
    ...(units.length > 0 && { units }),
    owed: priceBills(bills.filter(({ owed }) => owed > 0n)),
    provider: priceBills(bills),
    estimated: bills.some(({ estimated }) => estimated),
  };
}

/** The tokens of all bills, rounded once, and what else each costs. */
function priceBills(bills: readonly Bill[]): PicoUsd {
  const others = bills.map((bill) => bill.provider - priceParts(bill.parts ?? []));
  return others.reduce((sum, cost) => sum + cost, priceParts(bills.flatMap((bill) => bill.parts ?? [])));
}
