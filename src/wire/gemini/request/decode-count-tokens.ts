import type { JsonObject } from '#base';
import type { CanonicalRequest } from '#canonical';
import { requireObject } from '../../body/read-field.ts';
import type { Members } from '../../body/unchecked.ts';
import { decodeRequest } from './decode-request.ts';
import { findMember } from '../members.ts';
import type { GeminiBody } from '../schema.ts';

/** Reads a `countTokens` body: contents alone, or a whole request under `generateContentRequest`. */
export function decodeGeminiCount(body: JsonObject, model: string): CanonicalRequest {
  const given: Members<{ generateContentRequest: GeminiBody }> = body;
  const whole = findMember(given, 'generateContentRequest');
  const request = whole === undefined ? body : requireObject(whole, 'generateContentRequest');
  return decodeRequest(request, { model, stream: false });
}
