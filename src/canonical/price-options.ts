/** The request fields that change the price, under one name for all formats; `cache_type` is only reported. */
export const PRICE_FIELDS = ['service_tier', 'speed', 'inference_geo', 'cache_type'] as const;

export type PriceField = (typeof PRICE_FIELDS)[number];

/** Values of price-changing fields, as requested or as billed according to the answer. */
export type PriceOptions = Readonly<Partial<Record<PriceField, string>>>;

/** Longest value that is kept. */
const MOST_VALUE = 64;

/** A value as the price tables spell it; `undefined` if it is not a word. */
export function readPriceValue(value: unknown): string | undefined {
  if (typeof value !== 'string' || value === '') return undefined;
  return value.slice(0, MOST_VALUE).toLowerCase();
}
