import type { CanonicalRequest, FormatId, PriceOptions } from '#canonical';
import { readPriceValue } from '#canonical';
import { FORMAT_FACTS } from '../facts.ts';
import { OPENAI_TIERS, type TierWords, type Words } from '../format-facts.ts';

/** The service tier of a request as another format names it; nothing if it has no such tier. */
export function translateTier(
  { serviceTier, origin: { format: from } }: Pick<CanonicalRequest, 'serviceTier' | 'origin'>,
  to: FormatId,
): string | undefined {
  if (serviceTier === undefined) return undefined;
  const asked = FORMAT_FACTS[from].tiers;
  const sent = FORMAT_FACTS[to].tiers;
  if (asked.family === sent.family) return serviceTier;
  return findWords(asked, sent)?.get(plainTier(serviceTier));
}

function findWords(from: TierWords, to: TierWords): Words | undefined {
  if (from === OPENAI_TIERS) return to.to;
  return to === OPENAI_TIERS ? from.from : undefined;
}

/** Google's clients also send the enum name, `SERVICE_TIER_FLEX`. */
export function plainTier(tier: string): string {
  return tier.toLowerCase().replace(/^service_tier_/, '');
}

/** The tier an answer reports, as a served option. */
export function readServedTier(tier: unknown): PriceOptions | undefined {
  const value = readPriceValue(tier);
  return value === undefined ? undefined : { service_tier: plainTier(value) };
}
