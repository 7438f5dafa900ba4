import type { ReasoningBlock } from '#canonical';
import { seal, unseal } from '../seal.ts';

/** Whose encrypted reasoning a Responses client keeps without our mark. */
const NATIVE_ISSUER = 'openai';

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
  return seal(
    { secret: `${redacted === undefined ? 'signed' : 'redacted'}:${secret}`, issuer },
    NATIVE_ISSUER,
  );
}

/** Whose secret a client sent back, and in which of the two ways it is meant. */
export function decodeEncrypted(text: string): Pick<ReasoningBlock, 'issuer' | 'signature' | 'redacted'> {
  const { secret, issuer } = unseal(text, NATIVE_ISSUER);
  const [, kind, inner = secret] = (issuer === NATIVE_ISSUER ? null : MARKED.exec(secret)) ?? [];
  return kind === 'redacted' ? { issuer, redacted: inner } : { issuer, signature: inner };
}
