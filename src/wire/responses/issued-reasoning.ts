import type { ReasoningBlock } from '#canonical';
import { seal, unseal } from '../seal.ts';

/** Issuer of encrypted reasoning that is sent to Responses clients without our mark. */
export const NATIVE_ISSUER = 'openai';

const MARKED = /^(signed|redacted):(.*)$/s;

/**
 * `encrypted_content` of a reasoning item. OpenAI's own is sent unchanged; another issuer's is sealed with a flag for
 * whether it signs or replaces the text.
 */
export function encodeEncrypted(block: ReasoningBlock): string | undefined {
  const { issuer, signature, redacted } = block;
  const secret = redacted ?? signature ?? '';
  if (secret === '' || issuer === undefined) return undefined;
  if (issuer === NATIVE_ISSUER) return secret;
  return seal({ secret: markSigned(secret, redacted === undefined), issuer }, NATIVE_ISSUER);
}

/** A secret with a flag for whether it signs or replaces the text. */
export function markSigned(secret: string, hasText: boolean): string {
  return `${hasText ? 'signed' : 'redacted'}:${secret}`;
}

/** The issuer of a returned secret, and whether it signs or replaces the text. */
export function decodeEncrypted(text: string): Pick<ReasoningBlock, 'issuer' | 'signature' | 'redacted'> {
  const { secret, issuer } = unseal(text, NATIVE_ISSUER);
  const [, kind, inner = secret] = (issuer === NATIVE_ISSUER ? null : MARKED.exec(secret)) ?? [];
  return kind === 'redacted' ? { issuer, redacted: inner } : { issuer, signature: inner };
}
