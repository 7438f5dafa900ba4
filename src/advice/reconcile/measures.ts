import type { PicoUsd } from '#base';
import type { Usage } from '#canonical';
import type { Price } from '#catalogue';
import { outputTokensOf } from '#canonical';

/** Everything that providers' reports may count. Reports have different ones, so some overlap. */
const MEASURES = [
  'requests',
  'input',
  /** For reports that do not count cache writes separately. */
  'input_and_cache_write',
  'cache_read',
  'cache_write',
  'cache_write_5m',
  'cache_write_1h',
  'output',
  'web_searches',
  /** Pico-USD. */
  'cost',
] as const;

export type Measure = (typeof MEASURES)[number];

/** An absent measure is not in the report, which is not the same as 0. */
export type Amounts = Partial<Record<Measure, bigint>>;

const INPUT: readonly Measure[] = [
  'input',
  'input_and_cache_write',
  'cache_read',
  'cache_write',
  'cache_write_5m',
  'cache_write_1h',
];

/** Every measure of a usage. Audio and images are input and output like text. */
export function measure(usage: Usage, facts: { requests: number; cost: PicoUsd }): Amounts {
  const input = usage.inputUncached + usage.inputAudio + usage.inputImage;
  const written = usage.inputCacheWrite5m + usage.inputCacheWrite1h;
  return {
    requests: BigInt(facts.requests),
    input: BigInt(input),
    input_and_cache_write: BigInt(input + written),
    cache_read: BigInt(usage.inputCacheRead),
    cache_write: BigInt(written),
    cache_write_5m: BigInt(usage.inputCacheWrite5m),
    cache_write_1h: BigInt(usage.inputCacheWrite1h),
    output: BigInt(outputTokensOf(usage)),
    web_searches: BigInt(usage.webSearches),
    cost: facts.cost,
  };
}

export const listMeasures = (amounts: Amounts): Measure[] =>
  MEASURES.filter((name) => amounts[name] !== undefined);

/** Subtracts the measures that the first has. */
export function subtract(from: Amounts, other: Amounts): Amounts {
  const rest: Amounts = {};
  for (const name of listMeasures(from)) rest[name] = (from[name] ?? 0n) - (other[name] ?? 0n);
  return rest;
}

export function addTo(sum: Amounts, other: Amounts, sign = 1n): void {
  for (const name of listMeasures(other)) sum[name] = (sum[name] ?? 0n) + sign * (other[name] ?? 0n);
}

export function sumAmounts(all: readonly Amounts[]): Amounts {
  const sum: Amounts = {};
  for (const one of all) addTo(sum, one);
  return sum;
}

/** The counts of the named measures. */
export function pick(amounts: Amounts, names: readonly Measure[]): Amounts {
  const picked: Amounts = {};
  for (const name of names) if (amounts[name] !== undefined) picked[name] = amounts[name];
  return picked;
}

export const isNothing = (amounts: Amounts): boolean =>
  MEASURES.every((name) => (amounts[name] ?? 0n) === 0n);

/** In the measures that the first has. */
export const isEqual = (amounts: Amounts, other: Amounts): boolean => isNothing(subtract(amounts, other));

export const negate = (amounts: Amounts): Amounts => subtract(pick(ZERO, listMeasures(amounts)), amounts);

const ZERO: Amounts = Object.fromEntries(MEASURES.map((name) => [name, 0n]));

export const withoutCost = (amounts: Amounts): Amounts =>
  pick(
    amounts,
    MEASURES.filter((name) => name !== 'cost'),
  );

export const isTokens = (name: Measure): boolean => INPUT.includes(name) || name === 'output';

/** All tokens of prompts. */
export function inputOf(amounts: Amounts): bigint {
  return listInput(amounts).reduce((sum, name) => sum + (amounts[name] ?? 0n), 0n);
}

/** Measures of the prompt that do not overlap. */
function listInput(amounts: Amounts): Measure[] {
  const has = (name: Measure): boolean => amounts[name] !== undefined;
  return INPUT.filter(
    (name) =>
      has(name) &&
      !(name === 'input_and_cache_write' && has('input')) &&
      !(name === 'cache_write' && (has('cache_write_5m') || has('cache_write_1h'))) &&
      !(name.startsWith('cache_write') && !has('input') && has('input_and_cache_write')),
  );
}

/** The cost of tokens at the lowest tier of a price. */
export function priceTokens({ parts }: Price, amounts: Amounts): PicoUsd {
  const perToken: Partial<Record<Measure, PicoUsd>> = {
    input: parts.inputUncached,
    input_and_cache_write: parts.inputUncached,
    cache_read: parts.inputCacheRead,
    cache_write: parts.inputCacheWrite5m,
    cache_write_5m: parts.inputCacheWrite5m,
    cache_write_1h: parts.inputCacheWrite1h,
    output: parts.outputText,
  };
  const counted: Measure[] = [...listInput(amounts), 'output'];
  return counted.reduce((sum, name) => sum + (amounts[name] ?? 0n) * (perToken[name] ?? 0n), 0n);
}
