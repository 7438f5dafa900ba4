import type { PicoUsd } from '#base';
import { type Usage, PRICE_FIELDS, inputTokensOf, sumUsages } from '#canonical';
import type { AppliedFactor, Rate } from './modifier.ts';
import { type PromptBound, priceExtras, priceTokens, selectParts, worstCaseTokens } from '../price.ts';

/** Usage with its rate, of one model or of one of several choices. */
export interface PricedPart extends Rate {
  modelId: string;
  usage: Usage;
}

const MILLION = 1_000_000n;
/** No part has more factors than there are fields; all sums share this denominator. */
const DENOMINATOR = MILLION ** BigInt(PRICE_FIELDS.length);
const POWERS = Array.from({ length: PRICE_FIELDS.length + 1 }, (_, exponent) => MILLION ** BigInt(exponent));

/** The exact cost of all parts. Factors multiply tokens only, and the total is rounded up once, to a pico-USD. */
export function priceParts(parts: readonly PricedPart[]): PicoUsd {
  let plain = 0n;
  let multiplied = 0n;
  for (const { price, usage, factors } of parts) {
    const tokens = priceTokens(price, usage);
    plain += priceExtras(price, usage);
    if (factors.length === 0) plain += tokens;
    else multiplied += multiply(tokens, factors);
  }
  return plain + roundUp(multiplied);
}

/** A part is added to one of so many sums of its model, the last: each with all others would take too long where there are thousands. */
const MOST_OPEN = 8;

/**
 * Adds up the parts of each model, as far as their sum has the same price per token: the length of each prompt decides its
 * long-context tier, not that of all together.
 */
export function mergeParts<Part extends PricedPart>(parts: readonly Part[]): Part[] {
  if (parts.length < 2) return [...parts];
  const merged: Part[] = [];
  /** By model, the places of sums that others may be added to. */
  const open = new Map<string, number[]>();
  for (const part of parts) {
    const places = open.get(part.modelId) ?? [];
    open.set(part.modelId, places);
    const at = places.find((place) => canMerge(merged[place] as Part, part));
    if (at === undefined) {
      places.push(merged.push(part) - 1);
      if (places.length > MOST_OPEN) places.shift();
    } else {
      const other = merged[at] as Part;
      merged[at] = { ...other, usage: sumUsages([other.usage, part.usage]) };
    }
  }
  return merged;
}

/** Whether two parts of one model can be added up. */
function canMerge(one: PricedPart, other: PricedPart): boolean {
  const { price } = one;
  if (price.version !== other.price.version) return false;
  if (price.request > 0n) return true;
  const [first, second] = [inputTokensOf(one.usage), inputTokensOf(other.usage)];
  const tier = selectParts(price, first);
  return tier === selectParts(price, second) && tier === selectParts(price, first + second);
}

/** The amount each factor added to a part, in the order of multiplication; negative for a discount. */
export function explainFactors({
  price,
  usage,
  factors,
}: PricedPart): { factor: AppliedFactor; amount: PicoUsd }[] {
  const tokens = priceTokens(price, usage);
  return factors.map((factor, index) => ({
    factor,
    amount:
      roundUp(multiply(tokens, factors.slice(0, index + 1))) -
      roundUp(multiply(tokens, factors.slice(0, index))),
  }));
}

/** An upper bound on the cost of this many tokens at a rate, with the request itself, without searches. */
export function worstCaseRate({ price, factors }: Rate, input: PromptBound, outputTokens: number): PicoUsd {
  const tokens = worstCaseTokens(price, input, outputTokens);
  return price.request + (factors.length === 0 ? tokens : roundUp(multiply(tokens, factors)));
}

/** Over `DENOMINATOR`. */
function multiply(amount: PicoUsd, factors: readonly AppliedFactor[]): bigint {
  let product = amount;
  for (const { factor } of factors) product *= toMillionths(factor);
  return product * (POWERS[PRICE_FIELDS.length - factors.length] ?? 1n);
}

function toMillionths(factor: string): bigint {
  const [whole = '0', fraction = ''] = factor.split('.');
  return BigInt(whole + fraction.padEnd(6, '0'));
}

function roundUp(scaled: bigint): PicoUsd {
  return (scaled + DENOMINATOR - 1n) / DENOMINATOR;
}
