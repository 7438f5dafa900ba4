import type { CanonicalRequest, Dialect, FormatId, PriceOptions } from '#canonical';
import { readPriceValue } from '#canonical';
import { FORMAT_FACTS } from './facts.ts';
import { plainTier, translateTier } from './request/processing-tier.ts';

const NONE: PriceOptions = {};

/** The price options that reach an upstream of a format, after translation. */
export function findPriceOptions(
  request: CanonicalRequest,
  format: FormatId,
  dialect: Dialect,
): PriceOptions {
  const facts = FORMAT_FACTS[format];
  const tier = facts.isTierSent(request, dialect) ? translateTier(request, format) : undefined;
  const value = tier === undefined ? undefined : readPriceValue(plainTier(tier));
  const own = format === request.origin.format ? facts.findOwnOptions(request, dialect) : NONE;
  return value === undefined ? own : { ...own, service_tier: value };
}
