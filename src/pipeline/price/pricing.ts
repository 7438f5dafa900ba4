import type { ModelUsage, PriceOptions } from '#canonical';
import type { LogPart } from '#logs';
import type { Mapping } from '#catalogue';
import type { Ports } from '../request/ports.ts';
import type { BilledPart, Trip } from '../request/trip.ts';
import { USAGE_PARTS } from '#canonical';
import { explainFactors, findMapping, findRate, isPriced, mergeParts, priceParts } from '#catalogue';
import { findPriceOptions } from '#wire';
import { getCatalogueOf } from './mapped-models.ts';

/** What pricing an answer needs. */
export interface Pricing {
  /** The requested price-changing options. */
  requested: PriceOptions;
  /** The mapping, at the called provider, of a model that an answer names. */
  findModel(name: string): Mapping | undefined;
}

export const PLAIN_PRICING: Pricing = { requested: {}, findModel: () => undefined };

/** Copies from a request what pricing its answer needs: the request itself may be released by then. */
export function createPricing(ports: Ports, trip: Trip, mapping: Mapping): Pricing {
  const caller = trip.get('caller');
  return {
    requested: findPriceOptions(trip.get('request'), mapping.format, mapping.dialect),
    findModel: (name) => {
      const catalogue = getCatalogueOf(ports.live(caller), mapping);
      return findMapping(catalogue, { providerId: mapping.providerId, name }, ports.clock.now());
    },
  };
}

/** What an answer reported. */
interface Reported {
  served: PriceOptions | undefined;
  /** The usage by model, and by reading of the prompt. */
  parts: readonly ModelUsage[];
}

/** The parts of an answer, each at the rate of the model that used it; empty if there is no price. */
export function listBilledParts(
  mapping: Mapping,
  { requested, findModel }: Pricing,
  { served, parts }: Reported,
): BilledPart[] {
  const priced = parts.flatMap((part) => {
    const named = part.model === undefined ? undefined : findModel(part.model);
    const found = named && isPriced(named) ? named : mapping;
    if (!isPriced(found)) return [];
    const rate = findRate(found, requested, served);
    return [{ modelId: found.modelId, mapping: found, usage: part.usage, ...rate }];
  });
  return mergeParts(priced);
}

/** The parts as stored in the row; undefined if the bill is the usage at the price of the row's own mapping. */
export function toLogParts(
  parts: readonly BilledPart[],
  mapping: Mapping | undefined,
): LogPart[] | undefined {
  const [first] = parts;
  if (!first) return undefined;
  const isOwn = first.modelId === mapping?.modelId && first.price.version === mapping.price?.version;
  const isPlain = isOwn && parts.length === 1 && first.factors.length === 0;
  return isPlain ? undefined : parts.map(toLogPart);
}

function toLogPart(part: BilledPart): LogPart {
  const used = USAGE_PARTS.filter((name) => part.usage[name] > 0);
  return {
    providerId: part.mapping.providerId,
    model: part.modelId,
    priceVersion: part.price.version,
    usage: Object.fromEntries(used.map((name) => [name, part.usage[name]])),
    factors: explainFactors(part).map(({ factor, amount }) => ({ ...factor, amount: amount.toString() })),
    amount: priceParts([part]).toString(),
  };
}
