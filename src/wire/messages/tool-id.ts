import { createHash } from 'node:crypto';
import { CallIds } from '../tools/call-ids.ts';

const FITTING = /^[a-zA-Z0-9_-]+$/;
const MOST_LENGTH = 256;

export function isFittingToolId(id: string, maxLength = MOST_LENGTH): boolean {
  return id.length <= maxLength && FITTING.test(id);
}

/**
 * Converts a tool call id to the alphabet Anthropic accepts. The result is deterministic and distinct per id, because
 * lost characters are kept as a hash.
 */
export function toFittingToolId(id: string, maxLength = MOST_LENGTH): string {
  if (isFittingToolId(id, maxLength)) return id;
  const hash = createHash('sha256').update(id).digest('hex').slice(0, 10);
  const kept = id.replace(/[^a-zA-Z0-9_-]/g, '_').slice(0, Math.max(0, maxLength - hash.length - 1));
  return kept === '' ? `toolu_${hash}` : `${kept}_${hash}`;
}

/** The ids of an answer; a created one must not repeat in a later answer of the conversation. */
export function createAnswerIds(answerId: string): CallIds {
  return new CallIds({ create: (count) => `${answerId}:${count}`, fit: toFittingToolId });
}
