import type { UsageLine } from '#app';
import { freshTokensOf, outputTokensOf } from '#app';

/** The columns of `formatTokens`. */
export const TOKEN_COLUMNS = ['fresh', 'cached', 'written', 'out'] as const;

/** Disjoint parts of a prompt, and the answer: tokens of texts, audio and images. */
export function formatTokens(usage: UsageLine['usage']): string[] {
  const written = usage.inputCacheWrite5m + usage.inputCacheWrite1h;
  return [freshTokensOf(usage), usage.inputCacheRead, written, outputTokensOf(usage)].map(String);
}
