import type { PicoUsd } from '#base';
import type { BillBook, BillFilter, BillGroup, Bills, LongRequests, Tenant } from '#logs';
import { isPriced, priceParts, resolveModel } from '#catalogue';
import { type PricedMapping, isAnsweredBy } from './reprice.ts';
import {
  type ActualOf,
  type WhatIfPorts,
  compareProviders,
  listSources,
  toCustomer,
  toProvider,
} from './what-if.ts';

export const SAVING_KINDS = ['cheaper_provider', 'price_step'] as const;

export type SavingKind = (typeof SAVING_KINDS)[number];

/** What would have cost less, in the requests of a model at one provider. */
export interface Saving {
  kind: SavingKind;
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

interface Asker {
  /** The operator, if there is no tenant. */
  tenant?: Tenant | undefined;
  isLimited?: boolean;
}

/** Findings in the bills of a span, those that save most first. */
export async function findSavings(
  ports: WhatIfPorts & { bills: BillBook },
  filter: BillFilter,
  { tenant, isLimited = false }: Asker = {},
): Promise<Saving[]> {
  const actualOf: ActualOf = tenant ? toCustomer : toProvider;
  const bills = tenant
    ? await ports.bills.list(filter, NO_STEPS, tenant)
    : await ports.bills.listAsOperator(filter, NO_STEPS, { isLimited });
  const findings: Saving[] = [];
  for (const { modelId, providerId, actual } of listSources(bills, actualOf)) {
    const found = modelId === '' ? undefined : resolveModel(ports.catalogue, modelId, ports.now);
    if (found?.kind !== 'found' || actual === 0n) continue;
    const mappings = found.mappings.filter(isPriced);
    const own = { ...filter, model: modelId, providerId };
    const { bills: ownBills, lines } = await compareProviders(
      { ...ports, filter: own, tenant, isLimited },
      mappings,
    );
    const cheapest = lines.find((line) => line.providerId !== providerId && line.cost < line.actual);
    const list = (more: Partial<LongRequests> = {}): Promise<string[]> =>
      ports.bills.listLongest({
        filter: own,
        tenant,
        isLimited,
        aboveInputTokens: -1,
        limit: SHOWN,
        ...more,
      });
    if (cheapest)
      findings.push({
        ...{ kind: 'cheaper_provider', modelId, providerId, detail: cheapest.providerId },
        ...{ requests: cheapest.requests, saved: cheapest.actual - cheapest.cost, requestIds: await list() },
      });
    const step = findStep(
      mappings.find((mapping) => isAnsweredBy(mapping, { modelId, providerId })),
      { groups: ownBills.groups, actualOf },
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
  { groups, actualOf }: Pick<Bills, 'groups'> & { actualOf: ActualOf },
): { above: number; requests: number; saved: PicoUsd } | undefined {
  const above = mapping?.price.tiers[0]?.aboveInputTokens;
  if (!mapping || above === undefined) return undefined;
  const longer = groups.filter((group) => group.inputTokens > above);
  const saved = longer.reduce((sum, group) => sum + actualOf(group) - priceBelow(mapping, group), 0n);
  const requests = longer.reduce((sum, group) => sum + group.requests, 0);
  return saved > 0n ? { above, requests, saved } : undefined;
}

function priceBelow({ price, modelId }: PricedMapping, { usage, requests }: BillGroup): PicoUsd {
  const flat = { ...price, request: price.request * BigInt(requests), tiers: [] };
  return priceParts([{ modelId, usage, price: flat, factors: [] }]);
}
