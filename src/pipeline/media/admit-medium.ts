import type { Mapping } from '#catalogue';
import type { MediaTask } from '#media';
import type { Ports } from '../request/ports.ts';
import type { Trip } from '../request/trip.ts';
import { GatewayError } from '#errors';
import { isPremium } from '#catalogue';
import { holdAmount } from '../path/admit.ts';
import { priceQuantity } from '../price/price-quantity.ts';

/** The mappings at which the request has a price; throws the reason if there is none. */
export function boundMappings(task: MediaTask, mappings: readonly Mapping[]): Mapping[] {
  let refusal: GatewayError | undefined;
  const bounded = mappings.filter((mapping) => {
    try {
      task.bound(mapping);
      return true;
    } catch (thrown) {
      if (!(thrown instanceof GatewayError)) throw thrown;
      refusal ??= thrown;
      return false;
    }
  });
  if (bounded.length === 0 && refusal) throw refusal;
  return bounded;
}

/** Holds the worst case over every mapping on the route, durably, before any byte goes upstream. */
export async function admitMedium(ports: Ports, trip: Trip, route: readonly Mapping[]): Promise<void> {
  const task = trip.get('task');
  const rule = ports.live().premium;
  let amount = 0n;
  const charged = trip.get('credential') === 'own' ? [] : route;
  for (const mapping of charged) {
    const price = priceQuantity(mapping, task.bound(mapping));
    if (price > amount) amount = price;
  }
  const isAnyPremium = charged.some((mapping) => isPremium(mapping, rule));
  const hold = await holdAmount(ports, trip, { amount, first: route[0], isAnyPremium });
  trip.set({ hold });
}
