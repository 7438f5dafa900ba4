import { type JsonObject, encodeTime } from '#base';
import type { StoredPayload } from './payloads.ts';

/** A payload as the administration API and the command line return it; absent if none is stored. */
export function encodePayload(id: string, payload: StoredPayload | undefined): JsonObject {
  const { expiresAt, request, answer } = payload ?? {};
  return {
    object: 'payload',
    id,
    expires_at: encodeTime(expiresAt),
    request: request ? encodeText(request) : null,
    answer: answer
      ? {
          ...encodeText(answer),
          status: answer.status,
          content_type: answer.contentType,
          headers: answer.headers ?? null,
        }
      : null,
  };
}

function encodeText({ text, bytes, isCut }: StoredPayload['request']): JsonObject {
  return { text, bytes, truncated: isCut };
}
