import type { CacheMark, Dialect } from '#canonical';
import type { ChatMarked } from '../part-schema.ts';
import type { Members } from '../../body/unchecked.ts';

/** Reads a prompt-cache mark in either spelling from a part, a message, a tool or a tool call. */
export function decodeCacheMark(owner: ChatMarked): CacheMark | undefined {
  const mark = owner.prompt_cache_breakpoint ?? owner.cache_control;
  if (!mark) return undefined;
  return mark.ttl ? { ttl: mark.ttl } : {};
}

/**
 * The dialect's member for a mark. Lifetimes differ between the spellings: `12h` becomes `1h`, others use the default.
 */
export function encodeCacheMark(
  mark: CacheMark | undefined,
  supported: Dialect['cacheMarks'],
): Members<ChatMarked> {
  if (!mark || supported === 'none') return {};
  if (supported === 'cache_control') {
    const ttl = mark.ttl === '12h' ? '1h' : mark.ttl;
    return { cache_control: { type: 'ephemeral', ...((ttl === '5m' || ttl === '1h') && { ttl }) } };
  }
  const lasts = mark.ttl === '30m' || mark.ttl === '12h';
  return { prompt_cache_breakpoint: { mode: 'explicit', ...(lasts && { ttl: mark.ttl }) } };
}
