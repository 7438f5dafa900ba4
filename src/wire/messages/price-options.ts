import type { CanonicalRequest, Dialect, PriceOptions } from '#canonical';
import { readPriceValue } from '#canonical';
import { isFieldSent } from './request/beta-filter.ts';
import { OWN_PRICE_FIELDS } from './answer/served.ts';

export function isTierSent(request: CanonicalRequest, dialect: Dialect): boolean {
  return request.origin.format === 'messages'
    ? isFieldSent(request, dialect, 'service_tier')
    : dialect.betas === 'verbatim';
}

/** Options only Anthropic's format has. */
export function findOwnOptions(request: CanonicalRequest, dialect: Dialect): PriceOptions {
  const options: { -readonly [Field in keyof PriceOptions]: string } = {};
  for (const field of OWN_PRICE_FIELDS) {
    const value = readPriceValue(request.origin.body[field]);
    if (value !== undefined && isFieldSent(request, dialect, field)) options[field] = value;
  }
  return options;
}
