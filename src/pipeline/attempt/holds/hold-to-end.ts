import type { PicoUsd } from '#base';
import type { Ports } from '../../request/ports.ts';
import type { Trip } from '../../request/trip.ts';
import type { GatewayError } from '#errors';
import type { HeldStream } from './hold-elsewhere.ts';
import { tryGrowHold } from '../../price/grow-hold.ts';
import { findAffordable, leastOutputOf } from '../../price/output-limit.ts';
import { FAIR_OUTPUT } from '../../price/worst-case.ts';

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
  { prices, earlier }: HeldStream,
): Promise<LoweredLimit | undefined> {
  const most = Math.min(prices.maxOutput, trip.get('request').maxOutputTokens ?? Infinity);
  const missingFor = (tokens: number): PicoUsd => earlier + prices.price(tokens) - trip.get('hold').amount;
  const missing = missingFor(most);
  const refusal =
    missing > 0n
      ? await tryGrowHold(ports, trip, { amount: missing, leastAmount: missing, isUrgent: true })
      : undefined;
  if (!refusal) return undefined;
  const least = Math.min(leastOutputOf(trip), most);
  const fair = missingFor(Math.min(most, Math.max(FAIR_OUTPUT, least)));
  if (fair > 0n) {
    const needed = missingFor(least);
    const leastAmount = needed > 0n ? needed : 1n;
    const refused = await tryGrowHold(ports, trip, { amount: fair, leastAmount, isUrgent: true });
    if (refused && needed > 0n) throw refused;
  }
  const left = trip.get('hold').amount - earlier;
  return { tokens: findAffordable((tokens) => prices.price(tokens), left, { least, most }), refusal };
}
