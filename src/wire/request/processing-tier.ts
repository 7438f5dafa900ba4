import type { CanonicalRequest, FormatId, PriceOptions } from '#canonical';
import { readPriceValue } from '#canonical';

/** Words of a format by those of another. */
type Words = ReadonlyMap<string, string>;

/** The service tiers of a format. */
interface TierWords {
  /** Formats of one family share their tiers. */
  family: string;
  /** Translates to and from OpenAI's tiers; absent where the format has none. */
  to?: Words;
  from?: Words;
}

const OPENAI_TIERS: TierWords = { family: 'openai' };

const TIERS: Readonly<Record<FormatId, TierWords>> = {
  chat: OPENAI_TIERS,
  messages: {
    family: 'anthropic',
    to: new Map([
      ['auto', 'auto'],
      ['default', 'standard_only'],
    ]),
    from: new Map([['standard_only', 'default']]),
  },
  responses: OPENAI_TIERS,
  gemini: {
    family: 'google',
    to: new Map([
      ['flex', 'flex'],
      ['priority', 'priority'],
      ['fast', 'priority'],
    ]),
    from: new Map([
      ['standard', 'default'],
      ['flex', 'flex'],
      ['priority', 'priority'],
    ]),
  },
  converse: { family: 'bedrock' },
};

/** The service tier of a request as another format names it; nothing if it has no such tier. */
export function translateTier(
  { serviceTier, origin: { format: from } }: Pick<CanonicalRequest, 'serviceTier' | 'origin'>,
  to: FormatId,
): string | undefined {
  if (serviceTier === undefined) return undefined;
  const asked = TIERS[from];
  const sent = TIERS[to];
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
