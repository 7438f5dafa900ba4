import type { FormatId, ReasoningBlock } from '#canonical';

/** Marks a signature or encrypted reasoning that belongs to another format, so that it goes back only there. */
const FOREIGN = /^sluice\.(chat)\.(.*)$/s;

/** A signature as Messages clients keep it. */
export function sealForClient(secret: string, issuer: FormatId | undefined): string {
  return issuer === undefined || issuer === 'messages' ? secret : `sluice.${issuer}.${secret}`;
}

/** Whose signature a Messages client sent back. */
export function unsealFromClient(sealed: string): { secret: string; issuer: FormatId } {
  const match = sealed.startsWith('sluice.') ? FOREIGN.exec(sealed) : null;
  if (!match) return { secret: sealed, issuer: 'messages' };
  return { secret: match[2] ?? '', issuer: match[1] as FormatId };
}

/** Whether a Messages upstream may see this: Anthropic refuses unsigned thinking and signatures it did not make. */
export function isOwnSecret(sealed: unknown): boolean {
  return typeof sealed === 'string' && sealed !== '' && !sealed.startsWith('sluice.');
}

/** Whether a block may be replayed to a Messages upstream. A signature over empty thinking is meaningful. */
export function isReplayable(block: ReasoningBlock): boolean {
  return block.issuer === 'messages' && ((block.signature ?? '') !== '' || (block.redacted ?? '') !== '');
}
