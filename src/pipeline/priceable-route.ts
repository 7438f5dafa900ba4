import type { Mapping } from '#catalogue';
import type { Ports } from './ports.ts';
import type { Trip } from './trip.ts';
import { listRates } from '#catalogue';
import { GatewayError } from '#errors';
import { quote } from './get-model.ts';
import { type WorstCase, findWorstCase } from './worst-case.ts';

/**
 * The mappings at which everything that a request asks for has a known price; throws what has none where that leaves no
 * mapping. With the organization's own keys, or where the operator allows it, prices may be unknown.
 */
export function selectPriceable(ports: Ports, trip: Trip, route: readonly Mapping[]): readonly Mapping[] {
  return dropUnpriced(ports, trip, {
    route,
    findUnpriced: (mapping) => findWorstCase(ports, trip, mapping).unpriced,
  });
}

/** The same for media, whose prices know no service tiers: a tier that may change the price has none. */
export function selectPriceableMedium(
  ports: Ports,
  trip: Trip,
  route: readonly Mapping[],
): readonly Mapping[] {
  const value = trip.get('task').serviceTier;
  if (value === undefined) return route;
  const unpriced = { path: 'service_tier', value };
  return dropUnpriced(ports, trip, {
    route,
    findUnpriced: (mapping) => (isUsualPrice(mapping, value) ? undefined : unpriced),
  });
}

function isUsualPrice(mapping: Mapping, tier: string): boolean {
  const { price } = mapping;
  if (!price) return true;
  const { rates, unpriced } = listRates({ ...mapping, price }, { service_tier: tier });
  return !unpriced && rates.every((rate) => rate.price === price && rate.factors.length === 0);
}

interface Judged {
  route: readonly Mapping[];
  findUnpriced(mapping: Mapping): WorstCase['unpriced'];
}

function dropUnpriced(ports: Ports, trip: Trip, { route, findUnpriced }: Judged): readonly Mapping[] {
  const isFree = trip.get('credential') === 'own' || ports.live(trip.get('caller')).allowUnpriced;
  if (isFree) return route;
  let refusal: GatewayError | undefined;
  const priceable = route.filter((mapping) => {
    const unpriced = findUnpriced(mapping);
    if (unpriced) refusal ??= toRefusal(trip, mapping, unpriced);
    return !unpriced;
  });
  if (priceable.length === 0 && refusal) throw refusal;
  return priceable;
}

function toRefusal(
  trip: Trip,
  { providerId, modelId }: Mapping,
  { path, value }: { path: string; value: string },
): GatewayError {
  const param = trip.facts.request?.origin.format === 'gemini' ? (GEMINI_NAMES[path] ?? path) : path;
  const message =
    `${param}: ${quote(value)} has no known price for model ${quote(modelId)} at ${providerId}; ` +
    'the operator can give it one in sluice.yaml (modifiers) or set allowUnpriced';
  return new GatewayError('unpriced_option', message, { param });
}

const GEMINI_NAMES: Readonly<Record<string, string>> = { service_tier: 'serviceTier' };
