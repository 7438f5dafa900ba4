/** A request field that changes the price, under one name for all formats; `cache_type` is only reported. */
export type PriceField = 'service_tier' | 'speed' | 'inference_geo' | 'cache_type';

const EVERY_FIELD: Record<PriceField, true> = {
  service_tier: true,
  speed: true,
  inference_geo: true,
  cache_type: true,
};

export const PRICE_FIELDS = Object.keys(EVERY_FIELD) as PriceField[];

/** Values of price-changing fields: as requested, or as an answer reports what was billed. */
export type PriceOptions = Readonly<Partial<Record<PriceField, string>>>;

/** Longest value that is kept. */
const MOST_VALUE = 64;

/** A value as the price tables spell it; `undefined` if it is not a word. */
export function readPriceValue(value: unknown): string | undefined {
  if (typeof value !== 'string' || value === '') return undefined;
  return value.slice(0, MOST_VALUE).toLowerCase();
}
