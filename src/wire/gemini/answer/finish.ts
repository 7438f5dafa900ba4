import type { Finish, FinishReason } from '#canonical';
import type { UpstreamFailure } from '#errors';

const REASONS: ReadonlyMap<string, FinishReason> = new Map<string, FinishReason>([
  ['STOP', 'stop'],
  ['MAX_TOKENS', 'length'],
  ['SAFETY', 'content-filter'],
  ['RECITATION', 'content-filter'],
  ['LANGUAGE', 'content-filter'],
  ['BLOCKLIST', 'content-filter'],
  ['PROHIBITED_CONTENT', 'content-filter'],
  ['SPII', 'content-filter'],
  ['MODEL_ARMOR', 'content-filter'],
  ['JAILBREAK', 'content-filter'],
  ['CONTINUATION', 'pause'],
]);

/** Finish reasons that are faults of the model: the answer is empty or unusable, and a retry may succeed. */
const FAULTS: ReadonlySet<string> = new Set([
  'MALFORMED_FUNCTION_CALL',
  'UNEXPECTED_TOOL_CALL',
  'TOO_MANY_TOOL_CALLS',
  'MISSING_THOUGHT_SIGNATURE',
  'MALFORMED_RESPONSE',
  'OTHER',
]);

export const UNSPECIFIED = 'FINISH_REASON_UNSPECIFIED';
/** Google's finish reason for an unreadable call. */
export const MALFORMED_CALL = 'MALFORMED_FUNCTION_CALL';

export function decodeFinish(word: string | undefined, hasCalls: boolean): Finish {
  if (word === undefined) return { reason: hasCalls ? 'tool-calls' : 'unknown' };
  const reason = REASONS.get(word) ?? (/^(?:IMAGE_|NO_IMAGE$)/.test(word) ? 'content-filter' : 'unknown');
  return { reason: reason === 'stop' && hasCalls ? 'tool-calls' : reason, raw: word };
}

/** A blocked prompt is a refusal, whatever the reason. */
export function decodeBlock(word: string): Finish {
  return { reason: 'content-filter', raw: word };
}

/** The failure that a finish reason reports, if any. */
export function findFinishFailure(word: string, message: unknown): UpstreamFailure | undefined {
  if (!FAULTS.has(word)) return undefined;
  const detail = typeof message === 'string' && message !== '' ? `: ${message.slice(0, 1024)}` : '';
  return { kind: 'broken', type: word, message: `the provider ended its answer with ${word}${detail}` };
}

/** The finish reason of an answer; a reason from Google is passed on unchanged. */
export function encodeFinish({ reason, raw }: Finish): string {
  switch (reason) {
    case 'length':
    case 'context-window':
      return 'MAX_TOKENS';
    case 'content-filter':
      return raw !== undefined && isOwnRefusal(raw) ? raw : 'SAFETY';
    default:
      return 'STOP';
  }
}

function isOwnRefusal(word: string): boolean {
  return REASONS.get(word) === 'content-filter' || /^(?:IMAGE_[A-Z_]+|NO_IMAGE)$/.test(word);
}
