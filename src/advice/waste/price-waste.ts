import type { PicoUsd } from '#base';
import type { Usage } from '#canonical';
import type { Catalogue } from '#catalogue';
import type { PromptRow } from '#logs';
import { inputTokensOf } from '#canonical';
import { isPriced, priceParts, resolveModel } from '#catalogue';
import { type PricedMapping, isAnsweredBy } from '../reprice.ts';
import type { CostOf, RemovedTokens } from './waste.ts';

/** A prompt from its beginning: what was read from the cache, what was written to it, the rest. */
const ORDER = ['inputCacheRead', 'inputCacheWrite1h', 'inputCacheWrite5m', 'inputUncached'] as const;

/**
 * The cost of tokens of a row: its cost less the cost of its usage without them, in the tier of its price. A row that was
 * billed at other prices than today's, or with factors, counts in proportion.
 */
export function createCostOf({ catalogue, now }: { catalogue: Catalogue; now: number }): CostOf {
  const known = new Map<string, PricedMapping | undefined>();
  const find = ({ modelId, providerId }: PromptRow): PricedMapping | undefined => {
    const name = `${providerId}/${modelId}`;
    if (!known.has(name)) known.set(name, findMapping({ catalogue, now }, { modelId, providerId }));
    return known.get(name);
  };
  return (row, removed) => {
    const mapping = find(row);
    return mapping ? priceRemoved(mapping, row, removed) : 0n;
  };
}

function findMapping(
  { catalogue, now }: { catalogue: Catalogue; now: number },
  answered: Pick<PromptRow, 'modelId' | 'providerId'>,
): PricedMapping | undefined {
  const found = answered.modelId === '' ? undefined : resolveModel(catalogue, answered.modelId, now);
  if (found?.kind !== 'found') return undefined;
  return found.mappings.filter(isPriced).find((mapping) => isAnsweredBy(mapping, answered));
}

function priceRemoved(
  { price, modelId }: PricedMapping,
  { usage, cost }: PromptRow,
  removed: RemovedTokens,
): PicoUsd {
  const input = inputTokensOf(usage);
  const tier = price.tiers.findLast(({ aboveInputTokens }) => input > aboveInputTokens);
  const flat = { ...price, parts: tier?.parts ?? price.parts, tiers: [] };
  const priceOf = (used: Usage): PicoUsd => priceParts([{ modelId, usage: used, price: flat, factors: [] }]);
  const full = priceOf(usage);
  return full === 0n ? 0n : (cost * (full - priceOf(withoutTokens(usage, removed)))) / full;
}

function withoutTokens(usage: Usage, { first = 0, last = 0 }: RemovedTokens): Usage {
  const left = { ...usage };
  take(left, last, ORDER.toReversed());
  take(left, first, ORDER);
  return left;
}

function take(left: Usage, tokens: number, order: readonly (typeof ORDER)[number][]): void {
  let more = tokens;
  for (const part of order) {
    const taken = Math.min(more, left[part]);
    left[part] -= taken;
    more -= taken;
  }
}
