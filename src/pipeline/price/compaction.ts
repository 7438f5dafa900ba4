import { type JsonValue, isJsonObject } from '#base';
import type { CanonicalRequest } from '#canonical';

/** Anthropic's own threshold, in tokens of the prompt. */
const USUAL_TRIGGER = 150_000;
/** Held for a summary; Anthropic's example has 3,500. */
export const SUMMARY_TOKENS = 8_192;
const COMPACTION = /^compact_/;

/**
 * Whether Anthropic may compact a prompt of at most so many tokens before it answers, which reads the whole prompt once,
 * and the rest of it again for the answer.
 */
export function mayCompact({ origin }: CanonicalRequest, promptTokens: number): boolean {
  const { context_management: management } = origin.body;
  if (origin.format !== 'messages' || !isJsonObject(management)) return false;
  const { edits } = management;
  return Array.isArray(edits) && edits.some((edit) => promptTokens >= readTrigger(edit));
}

/** Infinite where an edit is no compaction. */
function readTrigger(edit: JsonValue): number {
  if (!isJsonObject(edit) || typeof edit['type'] !== 'string' || !COMPACTION.test(edit['type']))
    return Infinity;
  const { trigger } = edit;
  const value = isJsonObject(trigger) ? trigger['value'] : undefined;
  return typeof value === 'number' ? value : USUAL_TRIGGER;
}
