import { PRICE_FIELDS, type PriceField, type PriceOptions, readPriceValue } from '#canonical';
import type { MessagesUsage } from './answer-schema.ts';
import type { Members } from '../body/unchecked.ts';

/** The options that a usage object reports: `service_tier`, `speed`, `inference_geo`. */
export function readServed(usage: Members<MessagesUsage>): PriceOptions | undefined {
  let served: Partial<Record<PriceField, string>> | undefined;
  for (const field of PRICE_FIELDS) {
    if (field === 'cache_type') continue;
    const value = readPriceValue(usage[field]);
    if (value !== undefined) (served ??= {})[field] = value;
  }
  return served;
}
