import type { PicoUsd } from '#base';
import { type Usage, sumUsages } from '#canonical';
import { priceParts } from '#catalogue';
import type { Bill } from '../request/trip.ts';
import { mergeUnits } from '../request/tool-plan.ts';

/**
 * One bill for all choices, or all parts of an answer. Tokens are priced together; one for which nothing is owed adds
 * nothing, nor do calls without an answer that went before it.
 */
export function sumBills(bills: readonly Bill[]): Omit<Bill, 'customer'> {
  const units = mergeUnits(bills.flatMap((bill) => bill.units ?? []));
  return {
    usage: sumUsages(bills.map(({ usage }) => usage)),
    parts: bills.flatMap((bill) => bill.parts ?? []),
    ...(units.length > 0 && { units }),
    owed: priceBills(bills.filter(({ owed }) => owed > 0n).map(toAnswered)),
    provider: priceBills(bills),
    estimated: bills.some(({ estimated }) => estimated),
  };
}

/** The usage that callers see: without calls that were not answered. */
export function sumAnswered(bills: readonly Bill[]): Usage {
  return sumUsages(bills.map((bill) => toAnswered(bill).usage));
}

function toAnswered(bill: Bill): Bill {
  return bill.answered ?? bill;
}

/** The tokens of all bills, rounded once, and what else each costs. */
function priceBills(bills: readonly Bill[]): PicoUsd {
  const others = bills.map((bill) => bill.provider - priceParts(bill.parts ?? []));
  return others.reduce((sum, cost) => sum + cost, priceParts(bills.flatMap((bill) => bill.parts ?? [])));
}
