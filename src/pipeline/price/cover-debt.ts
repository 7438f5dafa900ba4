import type { Ports } from '../request/ports.ts';
import type { Trip } from '../request/trip.ts';
import type { MeteredUsage } from './meter.ts';
import { growHold } from './grow-hold.ts';

/**
 * Holds the cost of an answer beyond its hold, as far as the budget goes; the operator pays the rest. Only for text:
 * other media hold their worst case.
 */
export async function coverDebt(ports: Ports, trip: Trip, meter: Pick<MeteredUsage, 'bill'>): Promise<void> {
  const { hold, answerPrices } = trip.facts;
  if (!hold || !answerPrices) return;
  const missing = meter.bill.owed - hold.amount;
  if (missing <= 0n) return;
  await growHold(ports, trip, { amount: missing, leastAmount: 1n }).catch(() => undefined);
}
