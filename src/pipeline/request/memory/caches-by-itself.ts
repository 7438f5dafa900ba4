import { type Usage, inputTokensOf } from '#canonical';
import type { Mapping } from '#catalogue';

/** Whether a provider caches prompts without being asked; it reports only what it reads. */
export function cachesByItself({ dialect, price }: Mapping): boolean {
  if (!price || dialect.cacheMarks === 'cache_control' || dialect.cacheMarks === 'cachePoint') return false;
  return price.parts.inputCacheRead < price.parts.inputUncached;
}

/** The shortest prompt that most providers cache. */
const LEAST_CACHED_TOKENS = 1_024;

/** Whether it has a prompt that it has read in its cache. */
export function keepsPrompt(mapping: Mapping, usage: Usage): boolean {
  const least = mapping.minCacheableTokens ?? LEAST_CACHED_TOKENS;
  return inputTokensOf(usage) >= least && cachesByItself(mapping);
}
