import type { Dialect, ReasoningBlock } from '#canonical';

/** Whose signatures a Messages client keeps without our mark. */
export const NATIVE_ISSUER = 'anthropic';

/** Whether a block may be replayed to a Messages upstream: only what it signed. A signature over empty thinking is meaningful. */
export function isReplayable(block: ReasoningBlock, { issuer }: Dialect): boolean {
  return block.issuer === issuer && ((block.signature ?? '') !== '' || (block.redacted ?? '') !== '');
}
