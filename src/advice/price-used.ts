import type { PicoUsd } from '#base';
import type { Mapping } from '#catalogue';
import type { BillFilter } from '#logs';
import { isPriced } from '#catalogue';
import { type WhatIfPorts, billsOf, compareBills, listSources, listSteps, toProvider } from './what-if.ts';

/** The cost of a model's requests at a provider, and at another price. */
export interface PricedUse {
  requests: number;
  actual: PicoUsd;
  cost: PicoUsd;
}

/** The requests that mappings answered, at the prices the mappings have here; by `provider/model`. For the operator. */
export async function priceUsed(
  ports: WhatIfPorts,
  filter: BillFilter,
  mappings: readonly Mapping[],
): Promise<Map<string, PricedUse>> {
  const priced = mappings.filter(isPriced);
  const bills = await ports.bills.list({ filter, tenants: 'all' }, listSteps(priced));
  const used = new Map<string, PricedUse>();
  for (const { modelId, providerId } of listSources(bills, toProvider)) {
    const mapping = priced.find((one) => one.modelId === modelId && one.providerId === providerId);
    if (!mapping) continue;
    const billed = billsOf(bills, { modelId, providerId });
    for (const { requests, actual, cost } of compareBills({ ...ports, billed, actualOf: toProvider }, [
      mapping,
    ]))
      used.set(`${providerId}/${modelId}`, { requests, actual, cost });
  }
  return used;
}
