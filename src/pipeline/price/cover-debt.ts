import type { Ports } from '../request/ports.ts';
import type { Trip } from '../request/trip.ts';
import type { MeteredUsage } from './meter.ts';
import { growHold } from './grow-hold.ts';

/**
 * Holds what an answer costs more than was held for it, as far as the budget goes; the rest is the operator's. Only of
 * text: the hold of other media is their worst case.
 */
export async function coverDebt(ports: Ports, trip: Trip, meter: Pick<MeteredUsage, 'bill'>): Promise<void> {
  const { hold, answerPrices } = trip.facts;
  if (!hold || !answerPrices) return;
  const missing = meter.bill.owed - hold.amount;
  if (missing <= 0n) return;
  await growHold(ports, trip, { amount: missing, leastAmount: 1n }).catch(() => undefined);
}
