import type { PicoUsd } from '#base';
import type { PriceOptions } from '#canonical';
import type { Mapping, PromptBound, Rate } from '#catalogue';
import type { AnswerPrice } from '../request/answer-price.ts';
import type { Ports } from '../request/ports.ts';
import type { Trip } from '../request/trip.ts';
import {
  billsToEnd,
  supportsOperation,
  findMapping,
  isActive,
  isPriced,
  limitsWith,
  listRates,
  worstCaseRate,
} from '#catalogue';
import { findPriceOptions } from '#wire';
import { SUMMARY_TOKENS, mayCompact } from './compaction.ts';
import { sharesFields } from './shared-fields.ts';
import { type OtherModel, listOtherModels } from './other-models.ts';
import { MOST_IMAGE_TOKENS } from './measure-prompt.ts';
import { getCatalogueOf } from './mapped-models.ts';

/** The output that is held before a stream starts, or continues at another provider. */
export const FIRST_SLICE = 1_024;
/** Where a budget does not cover the whole of an answer that is billed to its end, it is held for half of it but at least this much output. */
export const FAIR_OUTPUT = 4_096;
/** Held for an answer that neither caller nor catalogue bounds. */
const DEFAULT_MAX_OUTPUT = 32_000;
/** Held for a prompt that neither its bytes nor the catalogue bound. */
const DEFAULT_CONTEXT = 1_000_000;

/** Where a request is sent: a mapping, and the provider's account (`accountOf`), which may have the prompt cached. */
export interface Destination {
  mapping: Mapping;
  account: string | undefined;
}

/** The most a request may cost at one mapping. */
export interface WorstCase extends AnswerPrice {
  /** The option without a known price: its path and value. */
  unpriced?: { path: string; value: string };
}

/** A model that may run, with every rate it may be billed at. */
interface Run {
  rates: readonly Rate[];
  input: PromptBound;
  runs: number;
  /** Its own output limit, if it has one. */
  output?: number;
}

export function findWorstCase(ports: Ports, trip: Trip, { mapping, account }: Destination): WorstCase {
  const request = trip.get('request');
  const options = findPriceOptions(request, mapping.format, mapping.dialect);
  const { maxOutput } = limitsWith(mapping, request.betas);
  const own = findRates(mapping, options);
  const isShared = sharesFields(mapping, request);
  const named = isShared ? listOtherModels(request) : [];
  const others = named.map((other) => findOther(ports, trip, { mapping, options, other }));
  const input = boundInput(ports, trip, { mapping, account });
  const runs: Run[] = [
    { rates: own.rates, input, runs: 1 },
    ...(isShared && mayCompact(request, input.tokens)
      ? [{ rates: own.rates, input, runs: 1, output: SUMMARY_TOKENS }]
      : []),
    ...others.map(({ found, rates, other }) =>
      toRun(ports, trip, { found: found ?? mapping, account, rates, other }),
    ),
  ];
  const unpriced = own.unpriced ?? others.find((other) => other.unpriced)?.unpriced;
  const tools = trip.facts.toolPlans?.get(mapping)?.amount ?? 0n;
  const choices = BigInt(request.choices); // the prompt may be released before the last price
  return {
    account,
    maxOutput: Math.min(request.maxOutputTokens ?? maxOutput ?? DEFAULT_MAX_OUTPUT, maxOutput ?? Infinity),
    price: (output) => (runs.reduce((sum, run) => sum + priceRun(run, output), 0n) + tools) * choices,
    ...(unpriced && { unpriced }),
  };
}

function findRates(
  mapping: Mapping,
  options: PriceOptions,
): Pick<WorstCase, 'unpriced'> & { rates: readonly Rate[] } {
  if (!isPriced(mapping)) return { rates: [] };
  const { rates, unpriced } = listRates(mapping, options);
  return { rates, ...(unpriced && { unpriced: { path: unpriced.field, value: unpriced.value } }) };
}

interface OtherModelUse {
  mapping: Mapping;
  options: PriceOptions;
  other: OtherModel;
}

type OtherModelRates = ReturnType<typeof findRates> & { found?: Mapping; other: OtherModel };

/**
 * What another model of a request costs at the provider; if the provider chooses, the most that any of its models
 * does.
 */
function findOther(ports: Ports, trip: Trip, { mapping, options, other }: OtherModelUse): OtherModelRates {
  const catalogue = getCatalogueOf(ports.live(trip.get('caller')), mapping);
  const now = ports.clock.now();
  const merged = { ...options, ...other.options };
  const { providerId } = mapping;
  if (other.name === undefined) {
    const all = [...catalogue.models.values()].flatMap(({ mappings }) => mappings);
    const able = all.filter(
      (one) => one.providerId === providerId && isActive(one, now) && supportsOperation(one, 'generations'),
    );
    return { other, rates: able.flatMap((one) => findRates(one, options).rates) };
  }
  const found = findMapping(catalogue, { providerId, name: other.name }, now);
  if (!found?.price) return { other, rates: [], unpriced: { path: other.path, value: other.name } };
  return { other, found, ...findRates(found, merged) };
}

function toRun(
  ports: Ports,
  trip: Trip,
  {
    found,
    account,
    rates,
    other,
  }: Required<Omit<OtherModelRates, 'unpriced'>> & Pick<Destination, 'account'>,
): Run {
  const { runs, maxOutput } = other;
  return {
    rates,
    input: boundInput(ports, trip, { mapping: found, account }),
    runs,
    ...(maxOutput !== undefined && { output: maxOutput }),
  };
}

function priceRun({ rates, input, runs, output: own }: Run, output: number): PicoUsd {
  let most = 0n;
  for (const rate of rates) {
    const price = worstCaseRate(rate, input, own ?? output);
    if (price > most) most = price;
  }
  return most * BigInt(runs);
}

/** What the prompt may have been measured as: never more than its bytes or the model's context. */
function boundInput(ports: Ports, trip: Trip, { mapping, account }: Destination): PromptBound {
  const prompt = trip.get('prompt');
  const { contextLength = Infinity } = limitsWith(mapping, trip.get('request').betas);
  const measured = ports.prompts.measure(prompt, { mapping, holder: trip.get('caller').keyId, account });
  const images = measured.images * (mapping.imageTokens ?? MOST_IMAGE_TOKENS);
  const bound = Math.min(measured.tokens + images, contextLength);
  const once = Number.isFinite(bound) ? bound : DEFAULT_CONTEXT;
  const readings = Number.isFinite(prompt.bound) ? 1 : countReadings(trip, mapping);
  const tokens = Math.max(once, readings * Math.min(prompt.estimate, once));
  return { tokens, cached: Math.min(measured.cached, tokens), parts: prompt.parts };
}

/** How often a prompt may be read for an answer whose hold does not grow with each reading. */
function countReadings(trip: Trip, mapping: Mapping): number {
  const { stream, choices } = trip.get('request');
  const grows = stream && choices === 1 && !billsToEnd(mapping, true);
  return grows ? 1 : (trip.facts.toolPlans?.get(mapping)?.readings ?? 1);
}
