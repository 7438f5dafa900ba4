import type { JsonObject } from '#base';
import type { EncodeContext } from '../../request/encode-context.ts';
import { forwardList } from '../../request/forwarding.ts';
import { isMisnamed } from '../../media/media-type.ts';
import { objectOf } from '../../body/read-answer.ts';
import { isArray, isObject, itemsOf } from '../../body/read-field.ts';
import type { Members, Unchecked } from '../../body/unchecked.ts';
import { without } from '../../body/without.ts';
import { keepKnown } from './known-members.ts';
import { findMember, findSpelling, spellingsOf } from '../members.ts';
import type {
  GeminiBody,
  GeminiContent,
  GeminiGenerationConfig,
  GeminiInlineData,
  GeminiPart,
} from '../schema.ts';
import { STAND_IN, decodeSignature, isSealed } from '../thought-signature.ts';

type RawPart = Members<GeminiPart>;

// Members are replaced in the spelling in which they were sent.
const MEDIA = spellingsOf(['inlineData', 'fileData'] satisfies (keyof GeminiPart)[]);
const MEDIA_TYPE = spellingsOf(['mimeType'] satisfies (keyof GeminiInlineData)[]);
const SIGNATURE = spellingsOf(['thoughtSignature'] satisfies (keyof GeminiPart)[]);
const CANDIDATE_COUNT = spellingsOf(['candidateCount'] satisfies (keyof GeminiGenerationConfig)[]);

/** Forwards the members of a Gemini caller's body that the schema names. */
export function forwardRequest(context: EncodeContext): Members<GeminiBody> {
  const { choices, maxOutputTokens, answerStart, origin } = context.request;
  const kept = keepKnown(origin.body);
  if (choices > 1) dropCandidateCount(kept);
  if (maxOutputTokens !== undefined) limitOutput(kept, maxOutputTokens);
  const body: Members<GeminiBody> = kept;
  if (answerStart !== undefined)
    body.contents = [...itemsOf(body.contents), { role: 'model', parts: [{ text: answerStart }] }];
  if (isArray(body.contents))
    body.contents = forwardList(body.contents, (content) =>
      isObject(content) ? forwardContent(content, context) : content,
    );
  return body;
}

/** Several candidates are requested one by one. */
function dropCandidateCount(body: JsonObject): void {
  const name = findSpelling(body, 'generationConfig');
  const config = name === undefined ? undefined : body[name];
  if (name !== undefined && isObject(config)) body[name] = without(config, CANDIDATE_COUNT);
}

/** In the spelling in which it was sent. */
function limitOutput(body: JsonObject, maxOutputTokens: number): void {
  const place = findSpelling(body, 'generationConfig') ?? 'generationConfig';
  const config = objectOf(body[place]);
  const name = findSpelling(config, 'maxOutputTokens') ?? 'maxOutputTokens';
  if (config[name] !== maxOutputTokens) body[place] = { ...config, [name]: maxOutputTokens };
}

function forwardContent(content: Members<GeminiContent>, context: EncodeContext): Members<GeminiContent> {
  const { role, parts } = content;
  if (!isArray(parts)) return content;
  const kept = forwardList(parts, (part) =>
    isObject(part) ? forwardPart(withMediaType(part), context) : part,
  );
  const needsSignature = role === 'model' && context.dialect.thoughtSignatures === 'required';
  const signed = needsSignature ? signCalls(kept) : kept;
  return signed === parts ? content : { ...content, parts: signed };
}

function withMediaType(part: JsonObject): RawPart {
  let fixed = part;
  for (const name of MEDIA) {
    const media: Unchecked<GeminiInlineData> | undefined = part[name];
    if (!isObject(media) || !isMisnamed(findMember(media, 'mimeType'))) continue;
    fixed = { ...fixed, [name]: { ...without<JsonObject>(media, MEDIA_TYPE), mimeType: 'image/jpeg' } };
  }
  return fixed;
}

function findSignature(part: RawPart): string | undefined {
  const signature = findMember(part, 'thoughtSignature');
  return typeof signature === 'string' ? signature : undefined;
}

/** Opens a sealed signature for its issuer and drops it for all others, with a part that only carried it. */
function forwardPart(part: RawPart, { dialect }: EncodeContext): RawPart | undefined {
  const signature = findSignature(part);
  if (signature === undefined || !isSealed(signature)) return part;
  const rest: RawPart = without<JsonObject>(part, SIGNATURE);
  const { signature: own, issuer } = decodeSignature(signature) ?? {};
  if (own !== undefined && issuer === dialect.issuer) return { ...rest, thoughtSignature: own };
  // Thinking of another model is dropped.
  return rest.thought === true || rest.text === '' ? undefined : rest;
}

/** Gemini 3 refuses a step whose first call has no signature. */
function signCalls(parts: Unchecked<GeminiPart>[]): Unchecked<GeminiPart>[] {
  const at = parts.findIndex((part) => isObject(part) && findMember(part, 'functionCall') !== undefined);
  const first = parts[at];
  if (!isObject(first) || findSignature(first) !== undefined) return parts;
  return parts.with(at, { ...first, thoughtSignature: STAND_IN });
}
