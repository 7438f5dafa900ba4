import type { PicoUsd } from '#base';
import type { Mapping } from '#catalogue';
import type { BillReader, BilledRequests, BillGroup, Bills, LongPrompts } from '#logs';
import { isPriced, priceParts, resolveModel } from '#catalogue';
import { type PricedMapping, isAnsweredBy } from './reprice.ts';
import {
  type ActualOf,
  type BillComparison,
  type WhatIfPorts,
  type WhatIfSource,
  billsOf,
  chooseActual,
  compareBills,
  listSources,
  listSteps,
} from './what-if.ts';

export const SAVING_KINDS = ['cheaper_provider', 'price_step'] as const;

export type SavingKind = (typeof SAVING_KINDS)[number];

/** A change that would have cost less for the requests of a model at one provider. */
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

const SHOWN = 3;

export interface SavingPorts extends WhatIfPorts {
  bills: BillReader;
  /** Whether requests can be sent to a mapping; one that is not configured or fails saves nothing. */
  canUse: (mapping: Mapping) => boolean;
}

/** A finding, and the prompts that prove it. */
type SavingFinding = Omit<Saving, 'requestIds'> & LongPrompts;

/** Findings in the bills of a span, the largest savings first. The rows are read once for all models. */
export async function findSavings(
  ports: SavingPorts,
  { filter, tenants }: BilledRequests,
): Promise<Saving[]> {
  const { catalogue, now, canUse } = ports;
  const actualOf = chooseActual(tenants);
  const steps = listSteps([...catalogue.models.values()].flatMap((model) => model.mappings.filter(isPriced)));
  const bills = await ports.bills.list({ filter, tenants }, steps);
  const findings = listSources(bills, actualOf).flatMap((source) => {
    const found = source.modelId === '' ? undefined : resolveModel(catalogue, source.modelId, now);
    if (found?.kind !== 'found' || source.actual === 0n) return [];
    const billed = billsOf(bills, source);
    const mappings = found.mappings.filter(isPriced);
    return findOwn({ catalogue, now, billed, actualOf, canUse }, source, mappings);
  });
  if (findings.length === 0) return [];
  const ids = await ports.bills.listLongest({ filter, tenants, of: findings, limit: SHOWN });
  const savings = findings.map(({ kind, modelId, providerId, detail, requests, saved }, at) => ({
    kind,
    modelId,
    providerId,
    detail,
    requests,
    saved,
    requestIds: ids[at] ?? [],
  }));
  return savings.toSorted((a, b) => Number(b.saved - a.saved));
}

/** A cheaper provider of a model, and a step of its price. */
function findOwn(
  comparison: BillComparison & Pick<SavingPorts, 'canUse'>,
  { modelId, providerId }: WhatIfSource,
  mappings: readonly PricedMapping[],
): SavingFinding[] {
  const lines = compareBills(comparison, mappings.filter(comparison.canUse));
  const cheapest = lines.find((line) => line.providerId !== providerId && line.cost < line.actual);
  const other = mappings.find((mapping) => mapping.providerId === cheapest?.providerId);
  const own = mappings.find((mapping) => isAnsweredBy(mapping, { modelId, providerId }));
  const { billed, actualOf } = comparison;
  const step = findStep(own, { groups: billed.groups, actualOf });
  return [
    ...(cheapest
      ? [
          {
            kind: 'cheaper_provider' as const,
            modelId,
            providerId,
            detail: cheapest.providerId,
            requests: cheapest.requests,
            saved: cheapest.actual - cheapest.cost,
            aboveInputTokens: -1,
            upToInputTokens: other?.contextLength,
            isPlain: false,
          },
        ]
      : []),
    ...(step
      ? [
          {
            kind: 'price_step' as const,
            modelId,
            providerId,
            detail: String(step.above),
            requests: step.requests,
            saved: step.saved,
            aboveInputTokens: step.above,
            isPlain: true,
          },
        ]
      : []),
  ];
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
