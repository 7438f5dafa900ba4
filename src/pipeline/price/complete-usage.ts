import { INPUT_PARTS, OUTPUT_PARTS, type Usage, inputTokensOf, outputTokensOf } from '#canonical';

/** Whether a usage reports both sides of an answer: no prompt is without tokens, and no text. */
export function isWholeUsage(usage: Usage, hasText: boolean): boolean {
  return inputTokensOf(usage) > 0 && (outputTokensOf(usage) > 0 || !hasText);
}

/** A usage of which a provider reports zeros or one side alone, with an estimate of what it lacks. */
export function completeUsage(reported: Usage, estimate: Usage): Usage {
  const usage = { ...estimate, webSearches: reported.webSearches };
  for (const parts of [INPUT_PARTS, OUTPUT_PARTS])
    if (parts.some((part) => reported[part] > 0)) for (const part of parts) usage[part] = reported[part];
  return usage;
}
