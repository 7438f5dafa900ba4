import type { Mapping } from '#catalogue';
import type { Ports } from '../request/ports.ts';
import type { Trip } from '../request/trip.ts';
import { isPriced, listRates, quote } from '#catalogue';
import { GatewayError } from '#errors';
import { CLIENT_FACTS } from '#wire';
import { type Destination, type WorstCase, findWorstCase } from './worst-case.ts';

/** A mapping of a route, and the most a request may cost there. */
export interface CostedMapping {
  mapping: Mapping;
  cost: WorstCase;
}

/**
 * What a request may cost at each mapping that has a price for everything it uses; throws what is unpriced if no
 * mapping is left. With the organization's own keys, or if the operator allows it, prices may be unknown.
 */
export function findCosts(ports: Ports, trip: Trip, route: readonly Destination[]): CostedMapping[] {
  const costed = route.map((one) => ({ mapping: one.mapping, cost: findWorstCase(ports, trip, one) }));
  return dropUnpriced(ports, trip, costed);
}

/** The same for media, whose prices have no service tiers: a tier that may change the price is unpriced. */
export function selectPriceableMedium(
  ports: Ports,
  trip: Trip,
  route: readonly Mapping[],
): readonly Mapping[] {
  const value = trip.get('task').serviceTier;
  if (value === undefined) return route;
  const unpriced = { path: 'service_tier', value };
  const judged = route.map((mapping) => ({
    mapping,
    cost: isUsualPrice(mapping, value) ? {} : { unpriced },
  }));
  return dropUnpriced(ports, trip, judged).map(({ mapping }) => mapping);
}

function isUsualPrice(mapping: Mapping, tier: string): boolean {
  if (!isPriced(mapping)) return true;
  const { rates, unpriced } = listRates(mapping, { service_tier: tier });
  return !unpriced && rates.every(({ price, factors }) => price === mapping.price && factors.length === 0);
}

interface PricedCandidate {
  mapping: Mapping;
  cost: Pick<WorstCase, 'unpriced'>;
}

function dropUnpriced<J extends PricedCandidate>(ports: Ports, trip: Trip, route: J[]): J[] {
  if (route.every(({ cost }) => !cost.unpriced)) return route;
  if (trip.get('credential') === 'own' || ports.live(trip.get('caller')).allowUnpriced) return route;
  const priced = route.filter(({ cost }) => !cost.unpriced);
  const [first] = route;
  if (priced.length === 0 && first?.cost.unpriced) throw toRefusal(trip, first.mapping, first.cost.unpriced);
  return priced;
}

function toRefusal(
  trip: Trip,
  { providerId, modelId }: Mapping,
  { path, value }: { path: string; value: string },
): GatewayError {
  const format = trip.facts.request?.origin.format;
  const param = format ? (CLIENT_FACTS[format].optionNames[path] ?? path) : path;
  const message =
    `${param}: ${quote(value)} has no known price for model ${quote(modelId)} at ${providerId}; ` +
    'the operator can set one in sluice.yaml (modifiers) or set allowUnpriced';
  return new GatewayError('unpriced_option', message, { param });
}
