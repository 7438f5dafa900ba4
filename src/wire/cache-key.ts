import type { JsonObject } from '#base';
import type { CanonicalRequest, Dialect } from '#canonical';
import { hashText } from './tool-ids.ts';

const MOST_KEY = 64;

/**
 * OpenAI's `prompt_cache_key`, which routes a session's turns to one cache: the caller's own, or one derived from its
 * session, never one per request.
 */
export function encodeCacheKey({ sessionId, extra }: CanonicalRequest, dialect: Dialect): JsonObject {
  if (!dialect.promptCacheKey) return {};
  const own = extra?.responses?.['prompt_cache_key'] ?? extra?.chat?.['prompt_cache_key'];
  if (typeof own === 'string') return { prompt_cache_key: own };
  if (sessionId === undefined) return {};
  return { prompt_cache_key: sessionId.length > MOST_KEY ? `session_${hashText(sessionId, 32)}` : sessionId };
}
