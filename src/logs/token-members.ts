import type { Usage } from '#canonical';
import { inputTokensOf, outputTokensOf } from '#canonical';
import { derived, membersOf, number } from '#fields';

/** Input that was neither read from the cache nor written to it. */
export const freshTokensOf = (usage: Usage): number =>
  inputTokensOf(usage) - usage.inputCacheRead - writtenTokensOf(usage);

const writtenTokensOf = (usage: Usage): number => usage.inputCacheWrite5m + usage.inputCacheWrite1h;

interface Used {
  usage: Usage;
}

const tokens = (count: (usage: Usage) => number, description?: string) =>
  derived(number(description), ({ usage }: Used) => count(usage));

/** The counts that most readers want, as sums of the disjoint parts. */
export const tokenMembers = (input?: string, output?: string) =>
  membersOf<Used>()({
    inputTokens: tokens(inputTokensOf, input),
    cachedTokens: tokens((usage) => usage.inputCacheRead, 'Of the input: read from the prompt cache.'),
    cacheWriteTokens: tokens(writtenTokensOf, 'Of the input: written to the prompt cache.'),
    outputTokens: tokens(outputTokensOf, output),
    reasoningTokens: tokens((usage) => usage.outputReasoning, 'Of the output.'),
  });

/** Disjoint parts of prompt and answer: tokens of text, audio and images. */
export const TOKEN_COLUMNS = {
  fresh: ({ usage }: Used) => String(freshTokensOf(usage)),
  cached: ({ usage }: Used) => String(usage.inputCacheRead),
  written: ({ usage }: Used) => String(writtenTokensOf(usage)),
  out: ({ usage }: Used) => String(outputTokensOf(usage)),
} as const;
