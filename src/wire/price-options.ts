import type { CanonicalRequest, Dialect, FormatId, PriceOptions } from '#canonical';
import { readPriceValue } from '#canonical';
import { isFieldSent } from './messages/index.ts';
import { plainTier, translateTier } from './processing-tier.ts';

const NONE: PriceOptions = {};
const OWN_FIELDS = ['speed', 'inference_geo'] as const;

/** The price-changing options that a request brings to an upstream of a format, after translation. */
export function findPriceOptions(
  request: CanonicalRequest,
  format: FormatId,
  dialect: Dialect,
): PriceOptions {
  const tier = isTierSent(request, format, dialect) ? translateTier(request, format) : undefined;
  const value = tier === undefined ? undefined : readPriceValue(plainTier(tier));
  const own =
    format === 'messages' && request.origin.format === 'messages' ? findOwn(request, dialect) : NONE;
  return value === undefined ? own : { ...own, service_tier: value };
}

function isTierSent(request: CanonicalRequest, format: FormatId, dialect: Dialect): boolean {
  if (format === 'chat') return !dialect.refusedFields.includes('service_tier');
  if (format !== 'messages') return true;
  return request.origin.format === 'messages'
    ? isFieldSent(request, dialect, 'service_tier')
    : dialect.betas === 'verbatim';
}

/** What only Anthropic's format has. */
function findOwn(request: CanonicalRequest, dialect: Dialect): PriceOptions {
  const options: { -readonly [Field in keyof PriceOptions]: string } = {};
  for (const field of OWN_FIELDS) {
    const value = readPriceValue(request.origin.body[field]);
    if (value !== undefined && isFieldSent(request, dialect, field)) options[field] = value;
  }
  return options;
}
