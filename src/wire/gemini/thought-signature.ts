import type { ReasoningBlock } from '#canonical';
import { parseJson } from '#base';
import { seal, unseal } from '../seal.ts';

/** The issuer whose signatures Gemini clients keep without a mark. */
const NATIVE_ISSUER = 'google';
/** Google's placeholder for calls of other models in the history of a model that requires signatures. */
export const STAND_IN = 'skip_thought_signature_validator';

/** `sluice` in base64: Google's SDKs read signatures as bytes, so a sealed one is base64 of its text. */
const SEALED = /^c2x1aWNl/;
const REDACTED = 'redacted ';
const HIDDEN = 'thought ';

/** Whether a signature was sealed by a gateway. */
export function isSealed(text: string): boolean {
  return SEALED.test(text);
}

/**
 * Encodes signed or encrypted reasoning as `thoughtSignature`; nothing for plain reasoning. Google's own signature is
 * kept byte for byte, all others are sealed. The text of a hidden thought is sealed too, because its issuer requires
 * it.
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

/**
 * Decodes the reasoning that a client sent back under a signature; nothing for the placeholder, which signs nothing.
 */
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
