import { type JsonObject, type JsonValue, isJsonObject } from '#base';
import type { EncodeContext } from '../encode-context.ts';
import { keepKnown } from './known-members.ts';
import { findMember, without } from './members.ts';
import { STAND_IN, decodeSignature, isSealed } from './thought-signature.ts';
import { isMisnamed } from '../media-type.ts';

/**
 * Forwards a Gemini client's body to a Gemini upstream: known members unchanged, except for signatures of other
 * issuers.
 */
export function forwardRequest(context: EncodeContext): JsonObject {
  const { body: origin } = context.request.origin;
  const body = keepKnown(origin);
  if (context.request.choices > 1) dropCandidateCount(body);
  const { contents } = origin;
  if (Array.isArray(contents)) body['contents'] = contents.map((content) => forwardContent(content, context));
  return body;
}

/** Several candidates are requested one by one. */
function dropCandidateCount(body: JsonObject): void {
  for (const name of ['generationConfig', 'generation_config']) {
    const config = body[name];
    if (!isJsonObject(config)) continue;
    body[name] = without(config, 'candidateCount', 'candidate_count');
  }
}

function forwardContent(content: JsonValue, context: EncodeContext): JsonValue {
  if (!isJsonObject(content) || !Array.isArray(content['parts'])) return content;
  const { role, parts } = content;
  const needsSignature = role === 'model' && context.dialect.thoughtSignatures === 'required';
  if (!needsSignature && !parts.some(isForeign) && !parts.some(hasMisnamedMedia)) return content;
  const kept = parts.flatMap((part) => forwardPart(withMediaType(part), context));
  if (needsSignature) signCalls(kept);
  return { ...content, parts: kept };
}

const MEDIA = ['inlineData', 'inline_data', 'fileData', 'file_data'] as const;

function hasMisnamedMedia(part: JsonValue): boolean {
  return isJsonObject(part) && MEDIA.some((name) => isMisnamed(findMimeType(part[name])));
}

function findMimeType(media: JsonValue | undefined): JsonValue | undefined {
  return isJsonObject(media) ? findMember(media, 'mimeType') : undefined;
}

function withMediaType(part: JsonValue): JsonValue {
  if (!isJsonObject(part) || !hasMisnamedMedia(part)) return part;
  const fixed: JsonObject = { ...part };
  for (const name of MEDIA) {
    const media = fixed[name];
    if (isJsonObject(media) && isMisnamed(findMimeType(media)))
      fixed[name] = { ...without(media, 'mimeType', 'mime_type'), mimeType: 'image/jpeg' };
  }
  return fixed;
}

function isForeign(part: JsonValue): boolean {
  const signature = findSignature(part);
  return signature !== undefined && isSealed(signature);
}

function findSignature(part: JsonValue): string | undefined {
  const signature = isJsonObject(part) ? findMember(part, 'thoughtSignature') : undefined;
  return typeof signature === 'string' ? signature : undefined;
}

/** Opens a sealed signature for its issuer and drops it for all others, with a part that only carried it. */
function forwardPart(part: JsonValue, { dialect }: EncodeContext): JsonValue[] {
  const signature = findSignature(part);
  if (signature === undefined || !isSealed(signature) || !isJsonObject(part)) return [part];
  const rest = without(part, 'thoughtSignature', 'thought_signature');
  const { signature: own, issuer } = decodeSignature(signature) ?? {};
  if (own !== undefined && issuer === dialect.issuer) return [{ ...rest, thoughtSignature: own }];
  // Thinking of another model is dropped.
  return rest['thought'] === true || rest['text'] === '' ? [] : [rest];
}

/** Gemini 3 refuses a step whose first call has no signature. */
function signCalls(parts: JsonValue[]): void {
  const at = parts.findIndex((part) => isJsonObject(part) && findMember(part, 'functionCall') !== undefined);
  const first = parts[at];
  if (isJsonObject(first) && findSignature(first) === undefined)
    parts[at] = { ...first, thoughtSignature: STAND_IN };
}
