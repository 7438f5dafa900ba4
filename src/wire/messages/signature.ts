import type { Dialect, ReasoningBlock } from '#canonical';

/** The issuer whose signatures Messages clients keep without a mark. */
export const NATIVE_ISSUER = 'anthropic';

/**
 * Whether a block may be replayed to a Messages upstream: only if it signed the block. A signature over empty thinking
 * is meaningful.
 */
export function isReplayable(block: ReasoningBlock, { issuer }: Dialect): boolean {
  return block.issuer === issuer && ((block.signature ?? '') !== '' || (block.redacted ?? '') !== '');
}
