import type { PicoUsd } from '#base';
import type { BillBook, BillFilter, BillGroup, Bills, LongRequests } from '#logs';
import { isPriced, priceParts, resolveModel } from '#catalogue';
import { type PricedMapping, isAnsweredBy } from './reprice.ts';
import { type WhatIfPorts, compareProviders, listSources } from './what-if.ts';

/** What would have cost less, in the requests of a model at one provider. */
export interface Saving {
  kind: 'cheaper_provider' | 'price_step';
  modelId: string;
  providerId: string;
  /** The other provider, or the input tokens above which the price steps up. */
  detail: string;
  requests: number;
  /** Less than they cost. */
  saved: PicoUsd;
  /** Some of the requests, the longest first. */
  requestIds: readonly string[];
}

const NO_STEPS = { inputTokens: [], cachedTokens: [] };
const SHOWN = 3;

/** Findings in the bills of a span, those that save most first. For the operator. */
export async function findSavings(
  ports: WhatIfPorts & { bills: BillBook },
  filter: BillFilter,
): Promise<Saving[]> {
  const options = { isLimited: false };
  const answered = listSources(
    await ports.bills.listAsOperator(filter, NO_STEPS, options),
    ({ provider }) => provider,
  );
  const findings: Saving[] = [];
  for (const { modelId, providerId, actual } of answered) {
    const found = modelId === '' ? undefined : resolveModel(ports.catalogue, modelId, ports.now);
    if (found?.kind !== 'found' || actual === 0n) continue;
    const mappings = found.mappings.filter(isPriced);
    const own = { ...filter, model: modelId, providerId };
    const { bills, lines } = await compareProviders({ ...ports, filter: own }, mappings);
    const cheapest = lines.find((line) => line.providerId !== providerId && line.cost < line.actual);
    const list = (more: Partial<LongRequests> = {}): Promise<string[]> =>
      ports.bills.listLongest({ filter: own, aboveInputTokens: -1, limit: SHOWN, ...more });
    if (cheapest)
      findings.push({
        ...{ kind: 'cheaper_provider', modelId, providerId, detail: cheapest.providerId },
        ...{ requests: cheapest.requests, saved: cheapest.actual - cheapest.cost, requestIds: await list() },
      });
    const step = findStep(
      mappings.find((mapping) => isAnsweredBy(mapping, { modelId, providerId })),
      bills,
    );
    if (step) {
      const { above, ...facts } = step;
      const requestIds = await list({ aboveInputTokens: above });
      findings.push({ kind: 'price_step', modelId, providerId, detail: String(above), ...facts, requestIds });
    }
  }
  return findings.toSorted((a, b) => Number(b.saved - a.saved));
}

/** Requests above the first step of their price, and what they would have cost below it. */
function findStep(
  mapping: PricedMapping | undefined,
  { groups }: Bills,
): { above: number; requests: number; saved: PicoUsd } | undefined {
  const above = mapping?.price.tiers[0]?.aboveInputTokens;
  if (!mapping || above === undefined) return undefined;
  const longer = groups.filter((group) => group.inputTokens > above);
  const saved = longer.reduce((sum, group) => sum + group.provider - priceBelow(mapping, group), 0n);
  const requests = longer.reduce((sum, group) => sum + group.requests, 0);
  return saved > 0n ? { above, requests, saved } : undefined;
}

function priceBelow({ price, modelId }: PricedMapping, { usage, requests }: BillGroup): PicoUsd {
  const flat = { ...price, request: price.request * BigInt(requests), tiers: [] };
  return priceParts([{ modelId, usage, price: flat, factors: [] }]);
}
