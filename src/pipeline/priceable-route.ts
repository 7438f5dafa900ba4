import type { Mapping } from '#catalogue';
import type { Ports } from './ports.ts';
import type { Trip } from './trip.ts';
import { GatewayError } from '#errors';
import { quote } from './get-model.ts';
import { findWorstCase } from './worst-case.ts';

/**
 * The mappings at which everything that a request asks for has a known price; throws what has none where that leaves no
 * mapping. With the organization's own keys, or where the operator allows it, prices may be unknown.
 */
export function selectPriceable(ports: Ports, trip: Trip, route: readonly Mapping[]): readonly Mapping[] {
  const isFree = trip.get('credential') === 'own' || ports.live(trip.get('caller')).allowUnpriced;
  if (isFree) return route;
  let refusal: GatewayError | undefined;
  const priceable = route.filter((mapping) => {
    const { unpriced } = findWorstCase(ports, trip, mapping);
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
  const param = trip.get('request').origin.format === 'gemini' ? (GEMINI_NAMES[path] ?? path) : path;
  const message =
    `${param}: ${quote(value)} has no known price for model ${quote(modelId)} at ${providerId}; ` +
    'the operator can give it one in sluice.yaml (modifiers) or set allowUnpriced';
  return new GatewayError('unpriced_option', message, { param });
}

const GEMINI_NAMES: Readonly<Record<string, string>> = { service_tier: 'serviceTier' };
