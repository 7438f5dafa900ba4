import type { PicoUsd } from '#base';
import type { AnswerPrice } from '../request/answer-price.ts';
import type { Ports } from '../request/ports.ts';
import type { Trip } from '../request/trip.ts';
import { type GatewayError, toGatewayError } from '#errors';
import { findAffordable, leastOutputOf } from '../price/output-limit.ts';
import { FAIR_OUTPUT } from '../price/worst-case.ts';

/** A stream that its provider bills to its end. */
interface Billed {
  prices: AnswerPrice;
  /** What was owed for the answer before this part of it. */
  earlier: PicoUsd;
}

/** The output limit that is sent in place of the requested one, and the budget that does not cover more. */
export interface LoweredLimit {
  tokens: number;
  refusal: GatewayError;
}

/**
 * Holds the most that a stream can be billed or, if the budget does not cover it, lowers its output limit to what is held:
 * closing the connection would save nothing. Throws if not even the least output is affordable.
 */
export async function holdToEnd(
  ports: Ports,
  trip: Trip,
  { prices, earlier }: Billed,
): Promise<LoweredLimit | undefined> {
  const most = Math.min(prices.maxOutput, trip.get('request').maxOutputTokens ?? Infinity);
  const missingFor = (tokens: number): PicoUsd => earlier + prices.price(tokens) - trip.get('hold').amount;
  const missing = missingFor(most);
  const refusal =
    missing > 0n ? await grow(ports, trip, { amount: missing, leastAmount: missing }) : undefined;
  if (!refusal) return undefined;
  const least = Math.min(leastOutputOf(trip), most);
  const fair = missingFor(Math.min(most, Math.max(FAIR_OUTPUT, least)));
  if (fair > 0n) {
    const needed = missingFor(least);
    const refused = await grow(ports, trip, { amount: fair, leastAmount: needed > 0n ? needed : 1n });
    if (refused && needed > 0n) throw refused;
  }
  const left = trip.get('hold').amount - earlier;
  return { tokens: findAffordable((tokens) => prices.price(tokens), left, { least, most }), refusal };
}

/** Adds to the hold; returns the refusal if the budget does not cover it. */
async function grow(
  ports: Ports,
  trip: Trip,
  addition: { amount: PicoUsd; leastAmount: PicoUsd },
): Promise<GatewayError | undefined> {
  const { requestId } = trip.arrival;
  try {
    const amount = await ports.accounts.ledger.grow({ requestId, ...addition, isUrgent: true });
    trip.set({ hold: { requestId, amount } });
    return undefined;
  } catch (thrown) {
    const error = toGatewayError(thrown);
    if (error.status !== 402) throw error;
    return error;
  }
}
