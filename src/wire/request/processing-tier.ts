import type { CanonicalRequest, FormatId, PriceOptions } from '#canonical';
import { readPriceValue } from '#canonical';

type Words = ReadonlyMap<string, string>;

const TO_ANTHROPIC: Words = new Map([
  ['auto', 'auto'],
  ['default', 'standard_only'],
]);
const FROM_ANTHROPIC: Words = new Map([['standard_only', 'default']]);
const TO_GEMINI: Words = new Map([
  ['flex', 'flex'],
  ['priority', 'priority'],
  ['fast', 'priority'],
]);
const FROM_GEMINI: Words = new Map([
  ['standard', 'default'],
  ['flex', 'flex'],
  ['priority', 'priority'],
]);

interface TierWords {
  /** Formats of one family share their tiers. */
  family: string;
  /** Translates to and from OpenAI's tiers; absent where the format has none. */
  to?: Words;
  from?: Words;
}

const OPENAI: TierWords = { family: 'openai' };
const TIERS: Readonly<Record<FormatId, TierWords>> = {
  chat: OPENAI,
  messages: { family: 'anthropic', to: TO_ANTHROPIC, from: FROM_ANTHROPIC },
  responses: OPENAI,
  gemini: { family: 'google', to: TO_GEMINI, from: FROM_GEMINI },
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
  if (from === OPENAI) return to.to;
  return to === OPENAI ? from.from : undefined;
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
