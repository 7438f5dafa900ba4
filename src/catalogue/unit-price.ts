import type { JsonObject, PicoUsd } from '#base';
import type { PriceFile } from './file-schema.ts';
import { formatUsd } from '#base';
import { readUsd } from './usd.ts';

/** Pico-USD by kind, such as a size; `default` is for unlisted kinds. */
type AmountsByKind = Readonly<Record<string, PicoUsd>>;

/** Prices not counted in tokens. An empty record prices nothing. */
export interface UnitPrices {
  perImage: AmountsByKind;
  /** Per second of video. */
  perSecond: AmountsByKind;
  /** Per search of a reranker. */
  perSearch: PicoUsd;
  /** Per character of speech input. */
  perCharacter: PicoUsd;
  /** Per hour of audio input. */
  inputAudioHour: PicoUsd;
  /** Per use or hour of a tool that runs at the provider, by its key on bills; absent in older versions. */
  tools?: AmountsByKind;
}

/** A count of something other than tokens. */
export interface UnitCount {
  /** Audio and tool time are counted in milliseconds, everything else in whole units. */
  unit: 'image' | 'video-second' | 'search' | 'character' | 'input-audio-ms' | 'tool' | 'tool-ms';
  /** The kind that decides the price, such as a size; the name of a tool. */
  kind?: string;
  count: number;
}

/** One line of a bill for units: count × price ÷ per = amount. */
interface UnitLine extends UnitCount {
  price: PicoUsd;
  /** How many units the price is for: an hour of audio, one of everything else. */
  per: number;
  amount: PicoUsd;
}

const HOUR_MS = 3_600_000;

export const NO_UNITS: UnitPrices = {
  perImage: {},
  perSecond: {},
  perSearch: 0n,
  perCharacter: 0n,
  inputAudioHour: 0n,
};

/** Whether anything besides hosted tools is charged by the unit. */
export function hasUnitPrices(prices: UnitPrices | undefined): boolean {
  if (!prices) return false;
  const { perImage, perSecond, perSearch, perCharacter, inputAudioHour } = prices;
  const amounts = [...Object.values(perImage), ...Object.values(perSecond)];
  return amounts.length > 0 || perSearch + perCharacter + inputAudioHour > 0n;
}

/** Parses unit prices in USD. Throws RangeError naming the invalid amount. */
export function readUnitPrices(file: PriceFile, tools: AmountsByKind = {}): UnitPrices | undefined {
  const { perImage, perSecond, perSearch, perCharacter, inputAudioHour } = file;
  const all = [perImage, perSecond, perSearch, perCharacter, inputAudioHour];
  const hasTools = Object.keys(tools).length > 0;
  if (!hasTools && all.every((one) => one === undefined)) return undefined;
  return {
    perImage: readAmounts('price.perImage', perImage),
    perSecond: readAmounts('price.perSecond', perSecond),
    perSearch: readUsd('price.perSearch', perSearch ?? '0'),
    perCharacter: readUsd('price.perCharacter', perCharacter ?? '0'),
    inputAudioHour: readUsd('price.inputAudioHour', inputAudioHour ?? '0'),
    ...(hasTools && { tools }),
  };
}

function readAmounts(where: string, written: Record<string, string> = {}): AmountsByKind {
  return Object.fromEntries(
    Object.entries(written).map(([kind, text]) => [kind, readUsd(`${where}.${kind}`, text)]),
  );
}

/**
 * The bill lines for counts; throws RangeError naming a kind without a price. Fractions of an hour's price are rounded
 * up.
 */
export function explainUnits(prices: UnitPrices | undefined, counts: readonly UnitCount[]): UnitLine[] {
  return counts.filter(({ count }) => count > 0).map((counted) => toLine(prices, counted));
}

/** The sum of `explainUnits`. */
export function priceUnits(prices: UnitPrices | undefined, counts: readonly UnitCount[]): PicoUsd {
  return explainUnits(prices, counts).reduce((sum, { amount }) => sum + amount, 0n);
}

function toLine(prices: UnitPrices | undefined, counted: UnitCount): UnitLine {
  const count = BigInt(Math.ceil(counted.count));
  if (counted.unit === 'input-audio-ms' || counted.unit === 'tool-ms') {
    const price = counted.unit === 'tool-ms' ? getToolPrice(prices, counted) : (prices?.inputAudioHour ?? 0n);
    const hour = BigInt(HOUR_MS);
    return { ...counted, price, per: HOUR_MS, amount: (price * count + hour - 1n) / hour };
  }
  const price = getUnitPrice(prices, counted);
  return { ...counted, price, per: 1, amount: price * count };
}

/** If unpriced tools are allowed, a used tool may have no price; it is free. */
function getToolPrice(prices: UnitPrices | undefined, { kind = '' }: UnitCount): PicoUsd {
  const tools = prices?.tools ?? {};
  return (Object.hasOwn(tools, kind) ? tools[kind] : undefined) ?? 0n;
}

function getUnitPrice(prices: UnitPrices | undefined, counted: UnitCount): PicoUsd {
  const { unit, kind = 'default' } = counted;
  if (unit === 'tool') return getToolPrice(prices, counted);
  if (unit === 'search') return prices?.perSearch ?? 0n;
  if (unit === 'character') return prices?.perCharacter ?? 0n;
  const amounts = unit === 'image' ? prices?.perImage : prices?.perSecond;
  const price = findUnitPrice(amounts, kind);
  if (price === undefined) throw new RangeError(`there is no price for the unit ${unit} of the kind ${kind}`);
  return price;
}

/** The price of a kind, else the default. */
export function findUnitPrice(amounts: AmountsByKind | undefined, kind: string): PicoUsd | undefined {
  if (!amounts) return undefined;
  return Object.hasOwn(amounts, kind) ? amounts[kind] : amounts['default'];
}

/** As `GET /v1/models` shows them: USD as plain decimals. */
export function describeAmounts(amounts: AmountsByKind | undefined): Record<string, string> {
  return Object.fromEntries(Object.entries(amounts ?? {}).map(([kind, amount]) => [kind, formatUsd(amount)]));
}

/** Unit prices as they are stored: amounts as decimal digits. */
export function encodeUnitPrices(prices: UnitPrices): JsonObject {
  return {
    perImage: encodeAmounts(prices.perImage),
    perSecond: encodeAmounts(prices.perSecond),
    perSearch: prices.perSearch.toString(),
    perCharacter: prices.perCharacter.toString(),
    inputAudioHour: prices.inputAudioHour.toString(),
    ...(prices.tools && { tools: encodeAmounts(prices.tools) }),
  };
}

function encodeAmounts(amounts: AmountsByKind): JsonObject {
  return Object.fromEntries(Object.entries(amounts).map(([kind, amount]) => [kind, amount.toString()]));
}

/** Stored unit prices. */
export function restoreUnitPrices(kept: JsonObject): UnitPrices {
  const restore = (amounts: unknown): AmountsByKind =>
    Object.fromEntries(
      Object.entries(amounts as Record<string, string>).map(([kind, digits]) => [kind, BigInt(digits)]),
    );
  return {
    perImage: restore(kept['perImage']),
    perSecond: restore(kept['perSecond']),
    perSearch: BigInt((kept['perSearch'] as string | undefined) ?? '0'),
    perCharacter: BigInt((kept['perCharacter'] as string | undefined) ?? '0'),
    inputAudioHour: BigInt(kept['inputAudioHour'] as string),
    ...(kept['tools'] !== undefined && { tools: restore(kept['tools']) }),
  };
}
