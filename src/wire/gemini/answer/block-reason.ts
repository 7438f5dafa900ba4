import { isObject } from '../../body/read-field.ts';
import type { Unchecked } from '../../body/unchecked.ts';
import type { GeminiFeedback } from './answer-schema.ts';

/** Google's reason for blocking a prompt, if any. */
export function findBlockReason(feedback: Unchecked<GeminiFeedback> | undefined): string | undefined {
  const reason = isObject(feedback) ? feedback.blockReason : undefined;
  const isWord = typeof reason === 'string' && reason !== '' && reason !== 'BLOCKED_REASON_UNSPECIFIED';
  return isWord ? reason : undefined;
}
