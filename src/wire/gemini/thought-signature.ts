import type { ReasoningBlock } from '#canonical';
import { parseJson } from '#base';
import { seal, unseal } from '../seal.ts';

/** Whose signatures a Gemini client keeps without our mark. */
const NATIVE_ISSUER = 'google';
/** Google's stand-in for calls of other models in the history of a model that demands signatures. */
export const STAND_IN = 'skip_thought_signature_validator';

/** `sluice` in base64: Google's SDKs read signatures as bytes, so what we seal travels as base64 of its text. */
const SEALED = /^c2x1aWNl/;
const REDACTED = 'redacted ';
const HIDDEN = 'thought ';

/** Whether a signature is one that we sealed. */
export function isSealed(text: string): boolean {
  return SEALED.test(text);
}

/**
 * Signed or encrypted reasoning as `thoughtSignature`, nothing for plain: Google's own signature byte for byte, all others
 * sealed. Where the thought itself is not shown, its text travels under the seal, because its issuer wants it back.
 */
export function encodeSignature(block: ReasoningBlock, isShown: boolean): string | undefined {
  const { redacted, signature, text, issuer = NATIVE_ISSUER } = block;
  if (redacted !== undefined) return toBase64(REDACTED + redacted, issuer);
  if (signature === undefined || signature === '') return undefined;
  if (issuer === NATIVE_ISSUER) return signature;
  const isHidden = text !== '' && !isShown;
  return toBase64(isHidden ? HIDDEN + JSON.stringify([text, signature]) : signature, issuer);
}

function toBase64(secret: string, issuer: string): string {
  return Buffer.from(seal({ secret, issuer }, '')).toString('base64');
}

/** The reasoning a client sent back under a signature; nothing for the stand-in, which signs nothing. */
export function decodeSignature(encoded: string, shown = ''): ReasoningBlock | undefined {
  if (encoded === '' || encoded === STAND_IN) return undefined;
  const common = { type: 'reasoning', text: shown } as const;
  if (!isSealed(encoded)) return { ...common, signature: encoded, issuer: NATIVE_ISSUER };
  const { secret, issuer } = unseal(Buffer.from(encoded, 'base64').toString('utf8'), NATIVE_ISSUER);
  if (secret.startsWith(REDACTED))
    return { ...common, text: '', redacted: secret.slice(REDACTED.length), issuer };
  const [text, signature] = secret.startsWith(HIDDEN)
    ? readHidden(secret.slice(HIDDEN.length))
    : [shown, secret];
  return { ...common, text, signature, issuer };
}

function readHidden(json: string): [text: string, signature: string] {
  const pair = parseJson(json);
  const [text, signature] = Array.isArray(pair) ? pair : [];
  return [typeof text === 'string' ? text : '', typeof signature === 'string' ? signature : ''];
}
