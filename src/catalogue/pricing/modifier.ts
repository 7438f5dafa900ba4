import type { PriceField, PriceOptions } from '#canonical';
import type { Mapping } from '../catalogue.ts';
import type { Modifiers, PriceOption } from '../schema/modifier-schema.ts';
import type { Price } from '../price.ts';
import { PRICE_FIELDS } from '#canonical';
import { scaleCacheReads, withTokenPrices } from '../price.ts';

/** A modifier that a request was billed with. */
export interface AppliedFactor {
  name: PriceField;
  /** The value that was billed. */
  value: string;
  /** The requested value, or the default that applied; absent if only the answer named one. */
  requested?: string;
  /** A decimal such as `1.1`; `1` if the value has its own token prices. */
  factor: string;
  /** Its price is unknown, and the operator allows that. */
  unpriced?: true;
}

/** The rate of a request's tokens: a price and its factors. */
export interface Rate {
  price: Price;
  factors: readonly AppliedFactor[];
}

/** The rates a request may be billed at, and the options without a known price. */
interface PossibleRates {
  rates: readonly Rate[];
  unpriced?: { field: PriceField; value: string };
}

type Priced = Pick<Mapping, 'modifiers'> & { price: Price };

export function isPriced(mapping: Mapping): mapping is Mapping & { price: Price } {
  return mapping.price !== undefined;
}

/** Values billed at the normal price at every provider. */
const NEUTRAL: ReadonlySet<string> = new Set(['auto', 'default', 'standard', 'standard_only', 'global']);
const NO_EFFECT: PriceOption = {};
const NO_FACTORS: readonly AppliedFactor[] = [];

/** The modifiers of several layers; a later layer wins, value by value. */
export function mergeModifiers(...layers: readonly (Modifiers | undefined)[]): Modifiers | undefined {
  let merged: Modifiers | undefined;
  for (const layer of layers) {
    if (!layer) continue;
    merged = { ...merged };
    for (const [name, { absent, values }] of Object.entries(layer) as Entries) {
      const below = merged[name];
      merged[name] = {
        ...below,
        ...(absent !== undefined && { absent }),
        ...((values ?? below?.values) && { values: { ...below?.values, ...values } }),
      };
    }
  }
  return merged;
}

type Entries = [keyof Modifiers, NonNullable<Modifiers[keyof Modifiers]>][];

/** The rate a mapping bills, once an answer has reported the options it was served with. */
export function findRate(mapping: Priced, requested: PriceOptions, served: PriceOptions = {}): Rate {
  let rate: Rate = { price: mapping.price, factors: NO_FACTORS };
  for (const field of PRICE_FIELDS) {
    const wanted = requested[field] ?? mapping.modifiers?.[field]?.absent;
    const reported = served[field];
    const value = findBilled(mapping, field, { reported, wanted });
    if (value === undefined) continue;
    const applied = {
      name: field,
      value: reported ?? value,
      ...(wanted !== undefined && { requested: wanted }),
    };
    rate = applyOption(rate, applied, findOption(mapping, field, value));
  }
  return rate;
}

/** Every rate a request with these options may be billed at: an answer may be served with less than requested. */
export function listRates(mapping: Priced, requested: PriceOptions): PossibleRates {
  let rates: Rate[] = [{ price: mapping.price, factors: NO_FACTORS }];
  let unpriced: PossibleRates['unpriced'];
  for (const field of PRICE_FIELDS) {
    const wanted = requested[field] ?? mapping.modifiers?.[field]?.absent;
    if (wanted === undefined) continue;
    const options = listBecoming(mapping, field, wanted);
    if (options.some(({ option }) => !option)) unpriced ??= { field, value: wanted };
    rates = rates.flatMap((rate) =>
      options.map(({ value, option }) =>
        applyOption(rate, { name: field, value, requested: wanted }, option),
      ),
    );
  }
  return unpriced ? { rates, unpriced } : { rates };
}

/** The limits of a mapping for a request with these `anthropic-beta` values. */
export function limitsWith(
  mapping: Pick<Mapping, 'contextLength' | 'maxOutput' | 'modifiers'>,
  betas: readonly string[],
): Pick<Mapping, 'contextLength' | 'maxOutput'> {
  const known = mapping.modifiers?.beta?.values;
  if (!known || betas.length === 0) return mapping;
  const { contextLength, maxOutput } = mapping;
  const limits = {
    ...(contextLength !== undefined && { contextLength }),
    ...(maxOutput !== undefined && { maxOutput }),
  };
  for (const beta of betas) {
    const option = Object.hasOwn(known, beta) ? known[beta] : undefined;
    if (option?.contextLength !== undefined && limits.contextLength !== undefined)
      limits.contextLength = Math.max(limits.contextLength, option.contextLength);
    if (option?.maxOutput !== undefined && limits.maxOutput !== undefined)
      limits.maxOutput = Math.max(limits.maxOutput, option.maxOutput);
  }
  return limits;
}

/** All token prices in a mapping's modifiers. */
export function listOwnPrices({ modifiers, price }: Pick<Mapping, 'modifiers' | 'price'>): Price[] {
  if (!modifiers || !price) return [];
  const options = PRICE_FIELDS.flatMap((field) => Object.values(modifiers[field]?.values ?? {}));
  const own = options.flatMap((option) => (option.price ? [withTokenPrices(price, option.price)] : []));
  const scaled = options.flatMap(({ cacheReadFactor: factor }) =>
    factor === undefined ? [] : [price, ...own].map((one) => scaleCacheReads(one, factor)),
  );
  return [...own, ...scaled];
}

/** The value that decides: the reported one if its price is known, else the one the request implies. */
function findBilled(
  mapping: Priced,
  field: PriceField,
  { reported, wanted }: { reported: string | undefined; wanted: string | undefined },
): string | undefined {
  const isKnown = reported !== undefined && findOption(mapping, field, reported) !== undefined;
  const value = isKnown ? reported : (wanted ?? reported);
  const option = value === undefined ? undefined : findOption(mapping, field, value);
  return option && !hasPrice(option) ? (option.becomes?.[0] ?? value) : value;
}

function hasPrice({ factor, price, cacheReadFactor }: PriceOption): boolean {
  return factor !== undefined || price !== undefined || cacheReadFactor !== undefined;
}

/** The effect of a value; `undefined` if its price is unknown. */
function findOption({ modifiers }: Priced, field: PriceField, value: string): PriceOption | undefined {
  const values = modifiers?.[field]?.values;
  const option = values && Object.hasOwn(values, value) ? values[value] : undefined;
  if (option) return option.refuse ? undefined : option;
  // Most providers have one cache, whatever they call it.
  return NEUTRAL.has(value) || field === 'cache_type' ? NO_EFFECT : undefined;
}

/** The values that an answer to this one may report. */
function listBecoming(
  mapping: Priced,
  field: PriceField,
  wanted: string,
): { value: string; option?: PriceOption | undefined }[] {
  const option = findOption(mapping, field, wanted);
  const values = new Set(option?.becomes ?? [wanted]);
  if (option && hasPrice(option)) values.add(wanted);
  return [...values].map((value) => ({ value, option: findOption(mapping, field, value) }));
}

function applyOption(
  rate: Rate,
  applied: Omit<AppliedFactor, 'factor'>,
  option: PriceOption | undefined,
): Rate {
  if (!option) return addFactor(rate, { ...applied, factor: '1', unpriced: true });
  const { factor = '1', price, cacheReadFactor } = option;
  const replaced = price ? withTokenPrices(rate.price, price) : rate.price;
  const scaled = cacheReadFactor === undefined ? replaced : scaleCacheReads(replaced, cacheReadFactor);
  if (scaled !== rate.price) return addFactor({ ...rate, price: scaled }, { ...applied, factor });
  const isPlain = factor === '1' && (applied.requested === undefined || NEUTRAL.has(applied.requested));
  return isPlain ? rate : addFactor(rate, { ...applied, factor });
}

function addFactor({ price, factors }: Rate, factor: AppliedFactor): Rate {
  return { price, factors: [...factors, factor] };
}
