import type { JsonObject, PicoUsd } from '#base';
import type { PriceFile } from './schema/file-schema.ts';
import { formatUsd } from '#base';
import {
  FLAT_PRICE_NAMES,
  type FlatPrice,
  KIND_PRICE_NAMES,
  type KindPrice,
  type Unit,
  findFlatPrice,
  findKindPrice,
  mapUnitPrices,
} from './schema/unit.ts';
import { readUsd } from './schema/usd.ts';

/** Pico-USD by kind, such as a size; `default` is for unlisted kinds. */
type AmountsByKind = Readonly<Record<string, PicoUsd>>;

/** Prices not counted in tokens. An empty record prices nothing. */
export type UnitPrices = Record<KindPrice, AmountsByKind> &
  Record<FlatPrice, PicoUsd> & {
    /** Per use or hour of a tool that runs at the provider, by its key on bills; absent in older versions. */
    tools?: AmountsByKind;
  };

/** A count of something other than tokens. */
export interface UnitCount {
  unit: Unit;
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

export const NO_UNITS: UnitPrices = mapUnitPrices(
  () => ({}),
  () => 0n,
);

/** Whether anything besides hosted tools is charged by the unit. */
export function hasUnitPrices(prices: UnitPrices | undefined): boolean {
  if (!prices) return false;
  return (
    KIND_PRICE_NAMES.some((name) => Object.keys(prices[name]).length > 0) ||
    FLAT_PRICE_NAMES.some((name) => prices[name] > 0n)
  );
}

/** Parses unit prices in USD. Throws RangeError naming the invalid amount. */
export function readUnitPrices(file: PriceFile, tools: AmountsByKind = {}): UnitPrices | undefined {
  const hasTools = Object.keys(tools).length > 0;
  const names = [...KIND_PRICE_NAMES, ...FLAT_PRICE_NAMES];
  if (!hasTools && names.every((name) => file[name] === undefined)) return undefined;
  return {
    ...mapUnitPrices(
      (name) => readAmounts(`price.${name}`, file[name]),
      (name) => readUsd(`price.${name}`, file[name] ?? '0'),
    ),
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
  const flat = findFlatPrice(unit);
  if (flat) return prices?.[flat] ?? 0n;
  const byKind = findKindPrice(unit);
  if (!byKind) return getToolPrice(prices, counted);
  const price = findUnitPrice(prices?.[byKind], kind);
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
    ...mapUnitPrices(
      (name) => encodeAmounts(prices[name]),
      (name) => prices[name].toString(),
    ),
    ...(prices.tools && { tools: encodeAmounts(prices.tools) }),
  };
}

function encodeAmounts(amounts: AmountsByKind): JsonObject {
  return Object.fromEntries(Object.entries(amounts).map(([kind, amount]) => [kind, amount.toString()]));
}

/** Stored unit prices; those introduced later were free then. */
export function restoreUnitPrices(kept: JsonObject): UnitPrices {
  const restore = (amounts: unknown): AmountsByKind =>
    Object.fromEntries(
      Object.entries(amounts as Record<string, string>).map(([kind, digits]) => [kind, BigInt(digits)]),
    );
  return {
    ...mapUnitPrices(
      (name) => restore(kept[name] ?? {}),
      (name) => BigInt((kept[name] as string | undefined) ?? '0'),
    ),
    ...(kept['tools'] !== undefined && { tools: restore(kept['tools']) }),
  };
}
