import type { PicoUsd } from '#base';
import type { PriceOptions, Usage } from '#canonical';
import type { Catalogue, Mapping, Price, UnitCount } from '#catalogue';
import type { BillGroup, LogPart, SpecialBill } from '#logs';
import { createUsage, inputTokensOf, withoutCache } from '#canonical';
import { findMapping, findRate, priceParts, priceUnits } from '#catalogue';

export type PricedMapping = Mapping & { price: Price };

/** The cost of a bill elsewhere, or why it is unknown. */
export type Repriced = { cost: PicoUsd } | { leftOut: string };

export const isAnsweredBy = (
  mapping: Mapping,
  { modelId, providerId }: Pick<BillGroup, 'modelId' | 'providerId'>,
): boolean => mapping.modelId === modelId && mapping.providerId === providerId;

/** The cost of a group of requests, all of which are in one tier of the price. */
export function repriceGroup(mapping: PricedMapping, group: BillGroup): Repriced {
  if (group.isEmpty) return { cost: 0n };
  const isOwn = isAnsweredBy(mapping, group);
  if (!isOwn && isTooLong(mapping, group.inputTokens)) return { leftOut: TOO_LONG };
  const { price, factors } = isOwn ? { price: mapping.price, factors: [] } : findRate(mapping, {});
  const tier = price.tiers.findLast(({ aboveInputTokens }) => group.inputTokens > aboveInputTokens);
  const flat = {
    ...price,
    parts: tier?.parts ?? price.parts,
    request: price.request * BigInt(group.requests),
    tiers: [],
  };
  const isCached = isOwn || group.cachedTokens >= (mapping.minCacheableTokens ?? 0);
  const usage = isCached ? group.usage : withoutCache(group.usage);
  return { cost: priceParts([{ modelId: mapping.modelId, usage, price: flat, factors }]) };
}

/** The cost of a request with units, or with parts of other prices: such as of a service tier. */
export function repriceSpecial(mapping: PricedMapping, bill: SpecialBill, around: Around): Repriced {
  const isOwn = isAnsweredBy(mapping, bill);
  const { usage, parts = [{ model: bill.modelId, usage, factors: [] }] } = bill;
  if (!isOwn && isTooLong(mapping, inputTokensOf(usage))) return { leftOut: TOO_LONG };
  const isCached = isOwn || cachedTokensOf(usage) >= (mapping.minCacheableTokens ?? 0);
  const priced = parts.map((part) => {
    const found = isOwn ? findPartOf(mapping, part.model, around) : mapping;
    const own = createUsage(part.usage);
    return {
      modelId: found.modelId,
      usage: isCached ? own : withoutCache(own),
      ...findRate(
        found,
        readOptions(part.factors, 'requested'),
        isOwn ? readOptions(part.factors, 'value') : {},
      ),
    };
  });
  const unpriced = priced.flatMap(({ factors }) => factors).find((factor) => factor.unpriced);
  if (unpriced) return { leftOut: `no known price for ${unpriced.name} ${unpriced.value}` };
  try {
    const units = priceUnits(mapping.price.units, bill.units as readonly UnitCount[]);
    // A request without any token is not charged the price of a request.
    const isEmpty = bill.parts === undefined && Object.values(usage).every((count) => count === 0);
    return { cost: isEmpty ? units : priceParts(priced) + units };
  } catch (error) {
    if (error instanceof RangeError) return { leftOut: 'no known price for its units' };
    throw error;
  }
}

const TOO_LONG = 'longer than the context of the model';

/** Where the other models of a bill are found. */
interface Around {
  catalogue: Catalogue;
  now: number;
}

/** The mapping of a part of a bill: an answer may name other models of its provider. */
function findPartOf(mapping: PricedMapping, name: string, { catalogue, now }: Around): PricedMapping {
  if (name === mapping.modelId) return mapping;
  const found = findMapping(catalogue, { providerId: mapping.providerId, name }, now);
  return found?.price ? { ...found, price: found.price } : mapping;
}

function readOptions(factors: LogPart['factors'], from: 'requested' | 'value'): PriceOptions {
  return Object.fromEntries(
    factors.flatMap((factor) => (factor[from] === undefined ? [] : [[factor.name, factor[from]]])),
  );
}

const isTooLong = ({ contextLength }: Mapping, inputTokens: number): boolean =>
  contextLength !== undefined && inputTokens > contextLength;

const cachedTokensOf = (usage: Usage): number =>
  usage.inputCacheRead + usage.inputCacheWrite5m + usage.inputCacheWrite1h;
