import type { PicoUsd } from '#base';
import type { Mapping } from '#catalogue';
import type { BillFilter } from '#logs';
import { isPriced } from '#catalogue';
import { type WhatIfPorts, compareProviders, listSources } from './what-if.ts';

/** What requests of a model at a provider cost, and would have cost at another price. */
export interface PricedUse {
  requests: number;
  actual: PicoUsd;
  cost: PicoUsd;
}

const NO_STEPS = { inputTokens: [], cachedTokens: [] };

/** The requests that mappings answered, at the prices the mappings have here; by `provider/model`. For the operator. */
export async function priceUsed(
  ports: WhatIfPorts,
  filter: BillFilter,
  mappings: readonly Mapping[],
): Promise<Map<string, PricedUse>> {
  const options = { isLimited: false };
  const answered = listSources(
    await ports.bills.listAsOperator(filter, NO_STEPS, options),
    ({ provider }) => provider,
  );
  const used = new Map<string, PricedUse>();
  for (const { modelId, providerId } of answered) {
    const mapping = mappings.find((one) => one.modelId === modelId && one.providerId === providerId);
    if (!mapping || !isPriced(mapping)) continue;
    const own = { ...filter, model: modelId, providerId };
    const { lines } = await compareProviders({ ...ports, filter: own }, [mapping]);
    for (const { requests, actual, cost } of lines)
      used.set(`${providerId}/${modelId}`, { requests, actual, cost });
  }
  return used;
}
