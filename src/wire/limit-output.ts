import type { JsonObject } from '#base';
import type { CanonicalRequest } from '#canonical';
import { findSpelling } from './gemini/members.ts';
import { isObject } from './body/read-field.ts';

type Limit = (body: JsonObject, maxOutputTokens: number) => JsonObject;

/** Bodies that a provider of the same format is sent as the caller wrote them. */
const FORWARDED: Partial<Record<CanonicalRequest['origin']['format'], Limit>> = {
  messages: (body, maxOutputTokens) => ({ ...body, max_tokens: maxOutputTokens }),
  gemini: limitGemini,
};

/** The request with another output limit. */
export function limitOutput(request: CanonicalRequest, maxOutputTokens: number): CanonicalRequest {
  const { origin } = request;
  const limit = FORWARDED[origin.format];
  return {
    ...request,
    maxOutputTokens,
    ...(limit && { origin: { ...origin, body: limit(origin.body, maxOutputTokens) } }),
  };
}

/** In the spelling in which it was sent. */
function limitGemini(body: JsonObject, maxOutputTokens: number): JsonObject {
  const place = findSpelling(body, 'generationConfig') ?? 'generationConfig';
  const given = body[place];
  const config = isObject(given) ? given : {};
  const name = findSpelling(config, 'maxOutputTokens') ?? 'maxOutputTokens';
  return { ...body, [place]: { ...config, [name]: maxOutputTokens } };
}
