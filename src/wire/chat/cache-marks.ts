import { type JsonObject, type JsonValue, isJsonObject } from '#base';
import type { CacheMark, Dialect } from '#canonical';
import type { ChatMarked } from './schema.ts';
import type { Members } from '../unchecked.ts';
import { requireObject, requireWord } from './read-field.ts';

type Ttl = NonNullable<CacheMark['ttl']>;

/** Reads a prompt-cache mark in either spelling from a part, a message, a tool or a tool call. */
export function decodeCacheMark(owner: Members<ChatMarked>, path: string): CacheMark | undefined {
  const breakpoint = owner.prompt_cache_breakpoint;
  if (breakpoint !== undefined && breakpoint !== null) {
    const at = `${path}.prompt_cache_breakpoint`;
    return readTtl(requireObject(breakpoint, at), at, ['30m', '12h']);
  }
  const control = owner.cache_control;
  if (control === undefined || control === null) return undefined;
  const at = `${path}.cache_control`;
  const value = requireObject(control, at);
  requireWord(value.type, `${at}.type`, ['ephemeral']);
  return readTtl(value, at, ['5m', '1h']);
}

function readTtl(value: { ttl?: JsonValue | undefined }, path: string, words: readonly Ttl[]): CacheMark {
  const ttl = value.ttl;
  return ttl === undefined || ttl === null ? {} : { ttl: requireWord(ttl, `${path}.ttl`, words) };
}

/**
 * The dialect's member for a mark. Lifetimes differ between the spellings: `12h` becomes `1h`, others use the default.
 */
export function encodeCacheMark(mark: CacheMark | undefined, supported: Dialect['cacheMarks']): JsonObject {
  if (!mark || supported === 'none') return {};
  if (supported === 'cache_control') {
    const ttl = mark.ttl === '12h' ? '1h' : mark.ttl;
    return { cache_control: { type: 'ephemeral', ...((ttl === '5m' || ttl === '1h') && { ttl }) } };
  }
  const lasts = mark.ttl === '30m' || mark.ttl === '12h';
  return { prompt_cache_breakpoint: { mode: 'explicit', ...(lasts && { ttl: mark.ttl }) } };
}

/** Whether an object of a Chat body has a mark its upstream does not understand. */
export function hasForeignMark(owner: Members<ChatMarked>, supported: Dialect['cacheMarks']): boolean {
  return (
    (supported !== 'cache_control' && isJsonObject(owner.cache_control)) ||
    (supported !== 'prompt_cache_breakpoint' && isJsonObject(owner.prompt_cache_breakpoint))
  );
}
