import type { Ports } from '../request/ports.ts';
import type { Trip } from '../request/trip.ts';
import type { Metered } from './meter.ts';

/**
 * Holds what an answer costs more than was held for it, as far as the budget goes; the rest is the operator's. Only of
 * text: the hold of other media is their worst case.
 */
export async function coverDebt(ports: Ports, trip: Trip, meter: Pick<Metered, 'bill'>): Promise<void> {
  const { hold, answerPrices } = trip.facts;
  if (!hold || !answerPrices) return;
  const missing = meter.bill.owed - hold.amount;
  if (missing <= 0n) return;
  const { requestId } = hold;
  const growing = ports.accounts.ledger.grow({ requestId, amount: missing, leastAmount: 1n });
  const amount = await growing.catch(() => hold.amount);
  trip.set({ hold: { requestId, amount } });
}
