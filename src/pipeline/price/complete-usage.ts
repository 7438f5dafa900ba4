import {
  INPUT_PARTS,
  type ModelUsage,
  OUTPUT_PARTS,
  type Usage,
  inputTokensOf,
  outputTokensOf,
  sumUsages,
} from '#canonical';

/** What an answer delivered: anything, and anything but calls of tools. */
interface Delivered {
  hasDelivered: boolean;
  hasText: boolean;
}

/**
 * Whether a usage reports both sides of an answer: no prompt is without tokens, and no text. An answer that Anthropic continues
 * inside its own tool is a call without any.
 */
export function isWholeUsage(usage: Usage, { hasDelivered, hasText }: Delivered): boolean {
  const [input, output] = [inputTokensOf(usage), outputTokensOf(usage)];
  return input + output === 0 ? !hasText : input > 0 && (output > 0 || !hasDelivered);
}

/** Whether other models than the requested one worked on an answer. */
export function namesModels(parts: readonly ModelUsage[] | undefined): boolean {
  return parts?.some(({ model }) => model !== undefined) === true;
}

export function sumUses(parts: readonly ModelUsage[]): Usage {
  const [only] = parts;
  return only && parts.length === 1 ? only.usage : sumUsages(parts.map(({ usage }) => usage));
}

/** Completes a usage that the provider reports as zeros, or for one side alone, with an estimate. */
export function completeUsage(reported: Usage, estimate: Usage): Usage {
  const usage = { ...estimate, webSearches: reported.webSearches };
  for (const parts of [INPUT_PARTS, OUTPUT_PARTS])
    if (parts.some((part) => reported[part] > 0)) for (const part of parts) usage[part] = reported[part];
  return usage;
}
