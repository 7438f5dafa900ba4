import { type PriceField, type PriceOptions, readPriceValue } from '#canonical';
import type { MessagesUsage } from './answer-schema.ts';
import type { Members } from '../../body/unchecked.ts';

/** The options besides the tier, by Anthropic's names. */
export const OWN_PRICE_FIELDS = ['speed', 'inference_geo'] as const satisfies PriceField[];

/** The options that a usage object reports. */
export function readServed(usage: Members<MessagesUsage>): PriceOptions | undefined {
  let served: Partial<Record<PriceField, string>> | undefined;
  for (const field of ['service_tier', ...OWN_PRICE_FIELDS] as const) {
    const value = readPriceValue(usage[field]);
    if (value !== undefined) (served ??= {})[field] = value;
  }
  return served;
}
