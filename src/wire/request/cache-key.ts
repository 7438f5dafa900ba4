import type { CanonicalRequest, Dialect } from '#canonical';
import { hashText } from '../tools/tool-ids.ts';
import type { Members } from '../body/unchecked.ts';

const MOST_IDENTIFIER = 64;

type Keyed = Members<{ prompt_cache_key: string }>;

/**
 * OpenAI's `prompt_cache_key`, which routes a session's turns to one cache: the caller's own, or one derived from its
 * session, never one per request.
 */
export function findCacheKey({ sessionId, extra }: CanonicalRequest, dialect: Dialect): string | undefined {
  if (!dialect.promptCacheKey) return undefined;
  const responses: Keyed | undefined = extra?.responses;
  const chat: Keyed | undefined = extra?.chat;
  const own = responses?.prompt_cache_key ?? chat?.prompt_cache_key;
  if (typeof own === 'string') return own;
  if (sessionId === undefined) return undefined;
  return fitIdentifier(sessionId, 'session');
}

/** OpenAI refuses longer identifiers; a hash is as stable. */
export function fitIdentifier(id: string, kind: 'session' | 'user'): string {
  return id.length > MOST_IDENTIFIER ? `${kind}_${hashText(id, 32)}` : id;
}
