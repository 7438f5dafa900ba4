import type { CanonicalRequest } from '#canonical';
import { readMember, requireObject } from './checks.ts';
import { decodeRequest } from './decode-request.ts';
import type { GeminiBody } from './schema.ts';
import type { Members } from '../unchecked.ts';

/** Reads a `countTokens` body: contents alone, or a whole request under `generateContentRequest`. */
export function decodeGeminiCount(
  body: Members<GeminiBody & { generateContentRequest: GeminiBody }>,
  model: string,
): CanonicalRequest {
  const whole = readMember(body, 'generateContentRequest', (value) =>
    requireObject(value, 'generateContentRequest'),
  );
  return decodeRequest(whole ?? body, { model, stream: false });
}
