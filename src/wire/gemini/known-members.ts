import { type JsonObject, isJsonObject } from '#base';
import { refuse } from './checks.ts';
import { findMember, findSpelling } from './members.ts';
import type { GeminiBody, GeminiGenerationConfig, GeminiToolConfig } from './schema.ts';

/**
 * Members of a client's body that are forwarded to Google: those known to cost nothing beyond the reported tokens, and
 * those with a known price. Any other is dropped, because its cost would be unknown.
 */
export const SENT = [
  'systemInstruction',
  'contents',
  'tools',
  'toolConfig',
  'generationConfig',
  'safetySettings',
  'cachedContent',
  'serviceTier',
  'labels',
] as const satisfies readonly (keyof GeminiBody)[];

export const SENT_CONFIG = [
  '_responseJsonSchema',
  'audioTimestamp',
  'audioTranscriptionConfig',
  'candidateCount',
  'enableAffectiveDialog',
  'enableEnhancedCivicAnswers',
  'frequencyPenalty',
  'imageConfig',
  'logprobs',
  'maxOutputTokens',
  'mediaResolution',
  'presencePenalty',
  'responseFormat',
  'responseJsonSchema',
  'responseLogprobs',
  'responseMimeType',
  'responseModalities',
  'responseSchema',
  'seed',
  'speechConfig',
  'stopSequences',
  'temperature',
  'thinkingConfig',
  'topK',
  'topP',
  'translationConfig',
] as const satisfies readonly (keyof GeminiGenerationConfig)[];

export const SENT_TOOL_CONFIG = [
  'functionCallingConfig',
  'includeServerSideToolInvocations',
  'retrievalConfig',
] as const satisfies readonly (keyof GeminiToolConfig)[];

/** Members that are not forwarded but would change the answer or the model: they are refused rather than dropped. */
const REFUSED = ['modelArmorConfig'];
const REFUSED_CONFIG = ['modelConfig', 'modelSelectionConfig', 'routingConfig'];

/** Throws if dropping a member would change the answer. */
export function refuseUnsent(body: JsonObject): void {
  refuseAny(body, REFUSED, '');
  const config = findMember(body, 'generationConfig');
  if (isJsonObject(config)) refuseAny(config, REFUSED_CONFIG, 'generationConfig.');
}

function refuseAny(owner: JsonObject, names: readonly string[], path: string): void {
  const name = names.find((each) => findMember(owner, each) !== undefined);
  if (name !== undefined) refuse(path + name, 'is not forwarded by this gateway; omit it');
}

/** Copies the known members, their values unchanged. */
export function keepKnown(body: JsonObject): JsonObject {
  const kept = pick(body, SENT);
  keepInside(kept, 'generationConfig', SENT_CONFIG);
  keepInside(kept, 'toolConfig', SENT_TOOL_CONFIG);
  return kept;
}

function keepInside(body: JsonObject, name: string, names: readonly string[]): void {
  const spelled = findSpelling(body, name);
  const inner = spelled === undefined ? undefined : body[spelled];
  if (spelled === undefined || !isJsonObject(inner)) return;
  const kept = pick(inner, names);
  const count = Object.keys(kept).length;
  if (count === 0) Reflect.deleteProperty(body, spelled);
  else if (count < Object.keys(inner).length) body[spelled] = kept;
}

/** Each member in the spelling that was read; a duplicate in the other spelling is dropped. */
function pick(owner: JsonObject, names: readonly string[]): JsonObject {
  const kept: JsonObject = {};
  for (const name of names) {
    const spelled = findSpelling(owner, name);
    if (spelled !== undefined) kept[spelled] = owner[spelled];
  }
  return kept;
}
