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

const isOpenAi = (format: FormatId): boolean => format === 'chat' || format === 'responses';

/** The service tier of a request in the words of another format; nothing where that has no such tier. */
export function translateTier(
  { serviceTier, origin: { format: from } }: Pick<CanonicalRequest, 'serviceTier' | 'origin'>,
  to: FormatId,
): string | undefined {
  if (serviceTier === undefined || to === 'converse') return undefined;
  if (from === to || (isOpenAi(from) && isOpenAi(to))) return serviceTier;
  return findWords(from, to)?.get(plainTier(serviceTier));
}

function findWords(from: FormatId, to: FormatId): Words | undefined {
  if (isOpenAi(from)) return to === 'messages' ? TO_ANTHROPIC : TO_GEMINI;
  if (!isOpenAi(to)) return undefined;
  return from === 'gemini' ? FROM_GEMINI : FROM_ANTHROPIC;
}

/** Google's clients also write the name of the enumeration: `SERVICE_TIER_FLEX`. */
export function plainTier(tier: string): string {
  return tier.toLowerCase().replace(/^service_tier_/, '');
}

/** The tier that an answer reports as an option that was served. */
export function readServedTier(tier: unknown): PriceOptions | undefined {
  const value = readPriceValue(tier);
  return value === undefined ? undefined : { service_tier: plainTier(value) };
}
