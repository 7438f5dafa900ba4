import type { ReasoningBlock } from '#canonical';
import { seal, unseal } from '../seal.ts';

/** Whose encrypted reasoning a Responses client keeps without our mark. */
export const NATIVE_ISSUER = 'openai';

const MARKED = /^(signed|redacted):(.*)$/s;

/**
 * `encrypted_content` of a reasoning item. OpenAI's own travels byte for byte; anyone else's is sealed, and says whether
 * it signs the text beside it or stands in its place.
 */
export function encodeEncrypted(block: ReasoningBlock): string | undefined {
  const { issuer, signature, redacted } = block;
  const secret = redacted ?? signature ?? '';
  if (secret === '' || issuer === undefined) return undefined;
  if (issuer === NATIVE_ISSUER) return secret;
  return seal({ secret: markSigned(secret, redacted === undefined), issuer }, NATIVE_ISSUER);
}

/** A secret that says whether it signs the text beside it or replaces it. */
export function markSigned(secret: string, hasText: boolean): string {
  return `${hasText ? 'signed' : 'redacted'}:${secret}`;
}

/** Whose secret a client sent back, and in which of the two ways it is meant. */
export function decodeEncrypted(text: string): Pick<ReasoningBlock, 'issuer' | 'signature' | 'redacted'> {
  const { secret, issuer } = unseal(text, NATIVE_ISSUER);
  const [, kind, inner = secret] = (issuer === NATIVE_ISSUER ? null : MARKED.exec(secret)) ?? [];
  return kind === 'redacted' ? { issuer, redacted: inner } : { issuer, signature: inner };
}
