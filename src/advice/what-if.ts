import type { PicoUsd } from '#base';
import type { Catalogue, Mapping } from '#catalogue';
import type { BillReader, BilledRequests, BillGroup, BillSteps, Bills, SpecialBill, Tenants } from '#logs';
import { GatewayError } from '#errors';
import { createUnresolved, isPriced, quote, resolveModel } from '#catalogue';
import { type PricedMapping, type Repriced, repriceGroup, repriceSpecial } from './reprice.ts';

/** Requests that cannot be compared, and why. */
export interface ExcludedRequests {
  reason: string;
  requests: number;
  /** Their actual cost. */
  actual: PicoUsd;
}

/** The cost of the same usage at one provider of a model. */
export interface WhatIfLine {
  modelId: string;
  providerId: string;
  /** Compared. */
  requests: number;
  cost: PicoUsd;
  /** The actual cost of these requests. */
  actual: PicoUsd;
  leftOut: readonly ExcludedRequests[];
}

/** The usage that is compared, by what answered it; an empty name if nothing did. */
export interface WhatIfSource {
  modelId: string;
  providerId: string;
  requests: number;
  actual: PicoUsd;
}

export interface WhatIf {
  /** The cheapest first. */
  lines: readonly WhatIfLine[];
  sources: readonly WhatIfSource[];
  assumptions: readonly string[];
}

/** A question about bills. */
export interface WhatIfQuestion extends BilledRequests {
  /** A model, or `provider/model`. */
  model: string;
}

export interface WhatIfPorts {
  bills: Pick<BillReader, 'list'>;
  catalogue: Catalogue;
  now: number;
}

/** What the same requests would have cost if the named model had answered them. Throws `invalid_request`. */
export async function askWhatIf(ports: WhatIfPorts, question: WhatIfQuestion): Promise<WhatIf> {
  const { tenants, filter } = question;
  const targets = findTargets(ports, question.model);
  const { bills, lines } = await compareProviders({ ...ports, filter, tenants }, targets);
  return {
    lines,
    sources: listSources(bills, chooseActual(tenants)),
    assumptions: listAssumptions(targets),
  };
}

/** The bills of a filter, and their cost at each of some mappings, the cheapest first. */
async function compareProviders(
  { filter, tenants, ...ports }: WhatIfPorts & BilledRequests,
  targets: readonly PricedMapping[],
): Promise<{ bills: Bills; lines: WhatIfLine[] }> {
  const steps = listSteps(targets);
  const bills = await ports.bills.list({ filter, tenants }, steps);
  const actualOf = chooseActual(tenants);
  return { bills, lines: compareBills({ ...ports, billed: bills, actualOf }, targets) };
}

/** Counts at which the cost at some mappings changes. */
export function listSteps(targets: readonly PricedMapping[]): BillSteps {
  return {
    inputTokens: toSteps(targets, ({ price, contextLength }) => [
      ...price.tiers.map(({ aboveInputTokens }) => aboveInputTokens + 1),
      ...(contextLength === undefined ? [] : [contextLength + 1]),
    ]),
    cachedTokens: toSteps(targets, ({ minCacheableTokens = 0 }) => [minCacheableTokens]),
  };
}

/** Their cost at each of some mappings, whose steps they were read with; the cheapest first. */
export function compareBills(comparison: BillComparison, targets: readonly PricedMapping[]): WhatIfLine[] {
  const lines = targets.map((mapping) => compare(mapping, comparison));
  return lines.toSorted((a, b) => Number(a.cost - a.actual - (b.cost - b.actual)));
}

export type ActualOf = (bill: BillGroup | SpecialBill) => PicoUsd;
const toCustomer: ActualOf = ({ customer }) => customer;
export const toProvider: ActualOf = ({ provider }) => provider;

/** The caller's cost; for the operator, the cost of all. */
export const chooseActual = (tenants: Tenants): ActualOf => (tenants === 'all' ? toProvider : toCustomer);

function findTargets({ catalogue, now }: WhatIfPorts, name: string): PricedMapping[] {
  const found = resolveModel(catalogue, name, now);
  if (found.kind !== 'found') throw createUnresolved(name, found);
  const priced = found.mappings.filter(isPriced);
  if (priced.length > 0) return priced;
  throw new GatewayError('invalid_request', `no provider of ${quote(name)} has a known price`, {
    param: 'model',
  });
}

function toSteps(targets: readonly PricedMapping[], list: (mapping: PricedMapping) => number[]): number[] {
  return [...new Set(targets.flatMap(list))].toSorted((a, b) => a - b);
}

/** Bills, and what they are compared by. */
export interface BillComparison extends Pick<WhatIfPorts, 'catalogue' | 'now'> {
  billed: Bills;
  actualOf: ActualOf;
}

const UNANSWERED = 'no model answered';

function compare(mapping: PricedMapping, comparison: BillComparison): WhatIfLine {
  const { billed, actualOf } = comparison;
  const leftOut = new Map<string, ExcludedRequests>();
  const line = {
    modelId: mapping.modelId,
    providerId: mapping.providerId,
    requests: 0,
    cost: 0n,
    actual: 0n,
  };
  const add = (requests: number, actual: PicoUsd, repriced: Repriced): void => {
    if ('cost' in repriced) {
      line.requests += requests;
      line.cost += repriced.cost;
      line.actual += actual;
      return;
    }
    const { reason, ...before } = leftOut.get(repriced.leftOut) ?? {
      reason: repriced.leftOut,
      requests: 0,
      actual: 0n,
    };
    leftOut.set(reason, { reason, requests: before.requests + requests, actual: before.actual + actual });
  };
  for (const group of billed.groups) {
    const isAnswered = group.providerId !== '' || actualOf(group) > 0n;
    add(group.requests, actualOf(group), isAnswered ? repriceGroup(mapping, group) : { leftOut: UNANSWERED });
  }
  for (const bill of billed.specials) add(1, actualOf(bill), repriceSpecial(mapping, bill, comparison));
  return { ...line, leftOut: [...leftOut.values()] };
}

/** The mappings that answered, the most expensive first. */
export function listSources({ groups, specials }: Bills, actualOf: ActualOf): WhatIfSource[] {
  const sources = new Map<string, WhatIfSource>();
  for (const bill of [...groups, ...specials]) {
    const { modelId, providerId } = bill;
    const name = JSON.stringify([modelId, providerId]);
    const source = sources.get(name) ?? { modelId, providerId, requests: 0, actual: 0n };
    source.requests += 'requests' in bill ? bill.requests : 1;
    source.actual += actualOf(bill);
    sources.set(name, source);
  }
  return [...sources.values()].toSorted((a, b) => Number(b.actual - a.actual));
}

/** The requests that a model at a provider answered. */
export function billsOf(
  { groups, specials }: Bills,
  source: Pick<WhatIfSource, 'modelId' | 'providerId'>,
): Bills {
  const isOwn = ({ modelId, providerId }: BillGroup | SpecialBill): boolean =>
    modelId === source.modelId && providerId === source.providerId;
  return { groups: groups.filter(isOwn), specials: specials.filter(isOwn) };
}

function listAssumptions(targets: readonly Mapping[]): string[] {
  const [first] = targets;
  const least = Math.min(...targets.map(({ minCacheableTokens = 0 }) => minCacheableTokens));
  const most = Math.max(...targets.map(({ minCacheableTokens = 0 }) => minCacheableTokens));
  const minimum = least === most ? String(most) : `${least} to ${most}`;
  return [
    `The same number of tokens. ${first?.modelId ?? 'Another model'} may count the same text differently, and think and answer at another length.`,
    'Prompt caching as it was: tokens read from a cache or written to it are billed as such, at the price of input where the provider has no other.',
    ...(most > 0
      ? [`Cached parts of a prompt shorter than the model’s minimum (${minimum} tokens) are billed as input.`]
      : []),
    'Prices as of today, without discounts of an account. Options such as a service tier apply where the provider has them.',
    'Text generation only, without answers from the response cache, at the amounts that providers bill.',
  ];
}
