import type { CanonicalRequest, Dialect, FormatId, PriceOptions } from '#canonical';
import { readPriceValue } from '#canonical';
import { OWN_PRICE_FIELDS, isFieldSent } from './messages/index.ts';
import { plainTier, translateTier } from './request/processing-tier.ts';

const NONE: PriceOptions = {};

interface OptionFacts {
  /** Whether the requested tier is sent. */
  isTierSent(request: CanonicalRequest, dialect: Dialect): boolean;
  /** Format-specific options of a request that is forwarded unchanged. */
  own(request: CanonicalRequest, dialect: Dialect): PriceOptions;
}

const ALWAYS: OptionFacts = { isTierSent: () => true, own: () => NONE };
const OPTIONS: Readonly<Record<FormatId, OptionFacts>> = {
  chat: { ...ALWAYS, isTierSent: (_request, dialect) => !dialect.refusedFields.includes('service_tier') },
  messages: { isTierSent: isTierInMessages, own: findInMessages },
  responses: ALWAYS,
  gemini: ALWAYS,
  converse: ALWAYS,
};

/** The price options that reach an upstream of a format, after translation. */
export function findPriceOptions(
  request: CanonicalRequest,
  format: FormatId,
  dialect: Dialect,
): PriceOptions {
  const tier = OPTIONS[format].isTierSent(request, dialect) ? translateTier(request, format) : undefined;
  const value = tier === undefined ? undefined : readPriceValue(plainTier(tier));
  const own = format === request.origin.format ? OPTIONS[format].own(request, dialect) : NONE;
  return value === undefined ? own : { ...own, service_tier: value };
}

function isTierInMessages(request: CanonicalRequest, dialect: Dialect): boolean {
  return request.origin.format === 'messages'
    ? isFieldSent(request, dialect, 'service_tier')
    : dialect.betas === 'verbatim';
}

/** Options only Anthropic's format has. */
function findInMessages(request: CanonicalRequest, dialect: Dialect): PriceOptions {
  const options: { -readonly [Field in keyof PriceOptions]: string } = {};
  for (const field of OWN_PRICE_FIELDS) {
    const value = readPriceValue(request.origin.body[field]);
    if (value !== undefined && isFieldSent(request, dialect, field)) options[field] = value;
  }
  return options;
}
