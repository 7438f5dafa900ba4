import { type JsonObject, isJsonObject } from '#base';
import type { CanonicalRequest, Tool } from '#canonical';
import { cutName, refuseUnsupported } from '../body/read-field.ts';
import { findMember } from './members.ts';

const TEXT_TYPES: ReadonlySet<unknown> = new Set([undefined, 'text/plain', 'application/json']);

/** A search that can be dropped: agents offer it to every model. */
const DISPENSABLE = /^google_?search/i;

/** Refuses by name the features of a Gemini request that only Google's models support. */
export function refuseGeminiOnly(request: CanonicalRequest): CanonicalRequest {
  if (request.origin.format !== 'gemini') return request;
  const field = findUnsupported(request.origin.body) ?? findHosted(request.tools);
  if (field !== undefined) return refuseUnsupported(field, "only Google's models support this");
  return { ...request, tools: request.tools.filter(isCallable) };
}

function isCallable({ type }: Tool): boolean {
  return type !== 'native';
}

/** A tool that runs at Google and that the answer depends on. */
function findHosted(tools: readonly Tool[]): string | undefined {
  const names = tools.flatMap((tool) => (tool.type === 'native' ? Object.keys(tool.value) : []));
  const hosted = names.find((name) => !DISPENSABLE.test(name));
  return hosted === undefined ? undefined : `tools.${cutName(hosted)}`;
}

/** Content cached at Google, audio or image output, and enumerated output. */
function findUnsupported(body: JsonObject): string | undefined {
  if (findMember(body, 'cachedContent')) return 'cachedContent';
  const config = findMember(body, 'generationConfig');
  if (!isJsonObject(config)) return undefined;
  const modalities = findMember(config, 'responseModalities');
  const wantsMore =
    Array.isArray(modalities) &&
    modalities.some((word) => typeof word === 'string' && word.toUpperCase() !== 'TEXT');
  if (wantsMore) return 'generationConfig.responseModalities';
  if (findMember(config, 'speechConfig') !== undefined) return 'generationConfig.speechConfig';
  if (findMember(config, 'responseLogprobs') === true) return 'generationConfig.responseLogprobs';
  if (!TEXT_TYPES.has(findMember(config, 'responseMimeType'))) return 'generationConfig.responseMimeType';
  return undefined;
}
