import type { JsonObject, PicoUsd } from '#base';
import type { Usage, UsagePart } from '#canonical';
import type { PriceFile } from './schema/file-schema.ts';
import type { TokenPriceFile } from './schema/modifier-schema.ts';
import { type HostedTool, listToolPrices } from './hosted-tool.ts';
import {
  NO_UNITS,
  type UnitPrices,
  encodeUnitPrices,
  hasUnitPrices,
  readUnitPrices,
  restoreUnitPrices,
} from './unit-price.ts';
import { createHash } from 'node:crypto';
import { parseJson, parsePricePerMillion, parseUsd } from '#base';
import { OUTPUT_PARTS, USAGE_PARTS, inputTokensOf } from '#canonical';

type PartPrices = Record<UsagePart, PicoUsd>;

/**
 * The price of one mapping: pico-USD per unit of each usage part, per request, and beyond each long-context threshold.
 */
export interface Price {
  /** Hash of the prices: equal prices have the same version. */
  version: string;
  parts: PartPrices;
  request: PicoUsd;
  /** Prices not counted in tokens; absent if there are none. */
  units?: UnitPrices;
  /** Ascending; the last one whose threshold the input exceeds prices the whole request. */
  tiers: { aboveInputTokens: number; parts: PartPrices }[];
}

/**
 * Converts written prices (USD per million tokens) to pico-USD per token and adds those of hosted tools. Throws
 * RangeError naming the invalid amount.
 */
export function parsePrice(file: PriceFile, tools: readonly HostedTool[] = []): Price {
  const parts = toParts(file);
  const request = parseUsd(file.request ?? '0') ?? refuse('request', file.request);
  const tiers = (file.tiers ?? [])
    .map((tier) => ({ aboveInputTokens: tier.aboveInputTokens, parts: toParts(tier) }))
    .sort((a, b) => a.aboveInputTokens - b.aboveInputTokens);
  const units = readUnitPrices(file, listToolPrices(tools));
  const prices = { parts, request, ...(units && { units }), tiers };
  return { version: hash(prices), ...prices };
}

/** A price with other token prices; the rest, such as hosted tools, is unchanged. */
export function withTokenPrices({ request, units }: Price, file: TokenPriceFile): Price {
  const prices = { parts: toParts(file), request, ...(units && { units }), tiers: [] };
  return { version: hash(prices), ...prices };
}

/** A price with other amounts for some parts, below its first long-context threshold. */
export function replaceParts(
  { parts, request, units, tiers }: Price,
  amounts: Partial<Record<UsagePart, PicoUsd>>,
): Price {
  const prices = { parts: { ...parts, ...amounts }, request, ...(units && { units }), tiers };
  return { version: hash(prices), ...prices };
}

/** The price with its cache-read rate multiplied by a decimal and rounded up. */
export function scaleCacheReads({ parts, request, units, tiers }: Price, factor: string): Price {
  const scale = (own: PartPrices): PartPrices => ({
    ...own,
    inputCacheRead: multiplyUp(own.inputCacheRead, factor),
  });
  const prices = {
    parts: scale(parts),
    request,
    ...(units && { units }),
    tiers: tiers.map((tier) => ({ ...tier, parts: scale(tier.parts) })),
  };
  return { version: hash(prices), ...prices };
}

function multiplyUp(amount: PicoUsd, factor: string): PicoUsd {
  const [whole = '', fraction = ''] = factor.split('.');
  const unit = 10n ** BigInt(fraction.length);
  return (amount * BigInt(whole + fraction) + unit - 1n) / unit;
}

/** A price with every token price multiplied by a decimal such as `1.1`; throws RangeError if the product is not exact. */
export function scalePrice({ parts, request, units, tiers }: Price, factor: string): Price {
  const prices = {
    parts: scaleParts(parts, factor),
    request,
    ...(units && { units }),
    tiers: tiers.map((tier) => ({ ...tier, parts: scaleParts(tier.parts, factor) })),
  };
  return { version: hash(prices), ...prices };
}

function scaleParts(parts: PartPrices, factor: string): PartPrices {
  const [whole = '', fraction = ''] = factor.split('.');
  const unit = 10n ** BigInt(fraction.length);
  const scaled = { ...parts };
  for (const part of USAGE_PARTS) {
    const product = parts[part] * BigInt(whole + fraction);
    if (product % unit !== 0n) throw new RangeError(`price: ${part} times ${factor} is not exact`);
    scaled[part] = product / unit;
  }
  return scaled;
}

/** A price with other prices of hosted tools. */
export function repriceTools({ parts, request, units, tiers }: Price, tools: readonly HostedTool[]): Price {
  const amounts = listToolPrices(tools);
  const kept = Object.keys(amounts).length > 0 ? { ...(units ?? NO_UNITS), tools: amounts } : units;
  const prices = { parts, request, ...(kept && { units: kept }), tiers };
  return { version: hash(prices), ...prices };
}

/**
 * A missing price never means free: caching defaults to the price of plain input; reasoning, audio and images to that
 * of text.
 */
function toParts(file: TokenPriceFile): PartPrices {
  const input = readAmount('input', file.input);
  const output = readAmount('output', file.output);
  const cacheWrite5m =
    file.cacheWrite5m === undefined ? input : readAmount('cacheWrite5m', file.cacheWrite5m);
  return {
    inputUncached: input,
    inputCacheRead: file.cacheRead === undefined ? input : readAmount('cacheRead', file.cacheRead),
    inputCacheWrite5m: cacheWrite5m,
    inputCacheWrite1h:
      file.cacheWrite1h === undefined ? cacheWrite5m : readAmount('cacheWrite1h', file.cacheWrite1h),
    inputAudio: file.inputAudio === undefined ? input : readAmount('inputAudio', file.inputAudio),
    inputImage: file.inputImage === undefined ? input : readAmount('inputImage', file.inputImage),
    outputText: output,
    outputReasoning: file.reasoning === undefined ? output : readAmount('reasoning', file.reasoning),
    outputAudio: file.outputAudio === undefined ? output : readAmount('outputAudio', file.outputAudio),
    outputImage: file.outputImage === undefined ? output : readAmount('outputImage', file.outputImage),
    // Only counted: searches are charged as uses of a hosted tool.
    webSearches: 0n,
  };
}

function readAmount(name: string, text: string): PicoUsd {
  const amount = parsePricePerMillion(text);
  return amount === undefined || amount < 0n ? refuse(name, text) : amount;
}

function refuse(name: string, text: string | undefined): never {
  throw new RangeError(`price.${name}: "${text ?? ''}" is not a price in USD`);
}

/** A price as it is stored: amounts as decimal digits. */
export function encodePrice({ parts, request, units, tiers }: Price): JsonObject {
  return {
    parts: encodeParts(parts),
    request: request.toString(),
    ...(units && { units: encodeUnitPrices(units) }),
    tiers: tiers.map((tier) => ({ aboveInputTokens: tier.aboveInputTokens, parts: encodeParts(tier.parts) })),
  };
}

function encodeParts(parts: PartPrices): JsonObject {
  return Object.fromEntries(USAGE_PARTS.map((part) => [part, parts[part].toString()]));
}

/** A stored price. Usage parts introduced later were free then. */
export function restorePrice(version: string, text: string): Price {
  const { parts, request, units, tiers } = parseJson(text) as {
    parts: Partial<Record<UsagePart, string>>;
    request: string;
    units?: JsonObject;
    tiers: { aboveInputTokens: number; parts: Partial<Record<UsagePart, string>> }[];
  };
  return {
    version,
    parts: restoreParts(parts),
    request: BigInt(request),
    ...(units && { units: restoreUnitPrices(units) }),
    tiers: tiers.map((tier) => ({
      aboveInputTokens: tier.aboveInputTokens,
      parts: restoreParts(tier.parts),
    })),
  };
}

function restoreParts(kept: Partial<Record<UsagePart, string>>): PartPrices {
  const entries = USAGE_PARTS.map((part): [UsagePart, PicoUsd] => [part, BigInt(kept[part] ?? '0')]);
  return Object.fromEntries(entries) as PartPrices;
}

function hash(prices: Omit<Price, 'version'>): string {
  const text = JSON.stringify(prices, (_key, value: unknown) =>
    typeof value === 'bigint' ? value.toString() : value,
  );
  return createHash('sha256').update(text).digest('hex').slice(0, 12);
}

/** The exact cost of a usage; the whole input decides the tier. */
export function priceUsage(price: Price, usage: Usage): PicoUsd {
  return priceTokens(price, usage) + priceExtras(price, usage);
}

/** The cost of a usage's tokens. */
export function priceTokens(price: Price, usage: Usage): PicoUsd {
  const parts = selectParts(price, inputTokensOf(usage));
  let total = 0n;
  for (const part of USAGE_PARTS)
    if (usage[part] > 0 && part !== 'webSearches') total += parts[part] * BigInt(usage[part]);
  return total;
}

/** The cost of a usage besides its tokens: the request itself and searches. No modifier changes it. */
export function priceExtras(price: Price, usage: Usage): PicoUsd {
  return price.request + price.parts.webSearches * BigInt(usage.webSearches);
}

/** One line of a bill. */
interface PriceLine {
  part: UsagePart | 'request';
  units: number;
  /** Per unit. */
  price: PicoUsd;
  amount: PicoUsd;
}

/** The lines that `priceUsage` adds up, without empty ones. */
export function explainPrice(price: Price, usage: Usage): PriceLine[] {
  const parts = selectParts(price, inputTokensOf(usage));
  const lines: PriceLine[] = USAGE_PARTS.filter((part) => part !== 'webSearches' || parts[part] > 0n).map(
    (part) => ({
      part,
      units: usage[part],
      price: parts[part],
      amount: parts[part] * BigInt(usage[part]),
    }),
  );
  lines.push({
    part: 'request',
    units: price.request === 0n ? 0 : 1,
    price: price.request,
    amount: price.request,
  });
  return lines.filter(({ units }) => units > 0);
}

/** The prices per token for an input of this length. */
export function selectParts(price: Price, inputTokens: number): PartPrices {
  return price.tiers.findLast(({ aboveInputTokens }) => inputTokens > aboveInputTokens)?.parts ?? price.parts;
}

/** The tokens of a prompt, as far as they are known before it is sent. */
export interface PromptBound {
  /** The maximum, cached ones included. */
  tokens: number;
  /** The part of them that the provider has in its cache. */
  cached: number;
  /** The parts of a usage they may be billed as. */
  parts: readonly UsagePart[];
}

/** An upper bound on the cost of a prompt and this many output tokens, without the request itself and hosted tools. */
export function worstCaseTokens(price: Price, input: PromptBound, outputTokens: number): PicoUsd {
  let worst = worstOf(price.parts, input, outputTokens);
  for (const { aboveInputTokens, parts } of price.tiers) {
    if (input.tokens <= aboveInputTokens) break;
    const cost = worstOf(parts, input, outputTokens);
    if (cost > worst) worst = cost;
  }
  return worst;
}

function worstOf(prices: PartPrices, { tokens, cached, parts }: PromptBound, outputTokens: number): PicoUsd {
  const input = mostOf(prices, parts);
  const output = mostOf(prices, OUTPUT_PARTS);
  const fresh = BigInt(Math.ceil(tokens) - cached);
  return input * fresh + prices.inputCacheRead * BigInt(cached) + output * BigInt(Math.ceil(outputTokens));
}

function mostOf(parts: PartPrices, names: readonly UsagePart[]): PicoUsd {
  let highest = 0n;
  for (const name of names) if (parts[name] > highest) highest = parts[name];
  return highest;
}

/** Whether a price is zero apart from tools that a request includes. */
export function isFree(price: Price): boolean {
  return (
    price.request === 0n &&
    !hasUnitPrices(price.units) &&
    [price, ...price.tiers].every(({ parts }) => USAGE_PARTS.every((part) => parts[part] === 0n))
  );
}
