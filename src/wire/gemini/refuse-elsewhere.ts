import { type JsonObject, isJsonObject } from '#base';
import { GatewayError } from '#errors';
import type { OutboundFormat } from '../contract.ts';
import { findMember } from './members.ts';

const TEXT_TYPES: ReadonlySet<unknown> = new Set([undefined, 'text/plain', 'application/json']);

/** Another format, which refuses by name what of a Gemini request only Google's models can do. */
export function refusingGeminiOnly(format: OutboundFormat): OutboundFormat {
  return {
    ...format,
    openExchange(request, target) {
      const field = request.origin.format === 'gemini' ? findUnsayable(request.origin.body) : undefined;
      if (field === undefined) return format.openExchange(request, target);
      throw new GatewayError('unsupported_feature', `${field}: only models of Google know this`, {
        param: field,
      });
    },
  };
}

/** A cache that lies at Google, sound or pictures as an answer, an answer that is a bare choice. */
function findUnsayable(body: JsonObject): string | undefined {
  if (findMember(body, 'cachedContent')) return 'cachedContent';
  const config = findMember(body, 'generationConfig');
  if (!isJsonObject(config)) return undefined;
  const modalities = findMember(config, 'responseModalities');
  const wantsMore =
    Array.isArray(modalities) &&
    modalities.some((word) => typeof word === 'string' && word.toUpperCase() !== 'TEXT');
  if (wantsMore) return 'generationConfig.responseModalities';
  if (findMember(config, 'speechConfig') !== undefined) return 'generationConfig.speechConfig';
  if (!TEXT_TYPES.has(findMember(config, 'responseMimeType'))) return 'generationConfig.responseMimeType';
  return undefined;
}
