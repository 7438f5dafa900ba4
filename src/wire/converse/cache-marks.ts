import type { JsonObject } from '#base';
import type { CacheMark } from '#canonical';
import { limitMarks } from '../limit-marks.ts';

/** A block, tool or instruction of the body, and whether a cache point follows it. */
export interface Entry {
  block: JsonObject;
  mark?: CacheMark;
}

/** Puts a mark on the last entry that may carry one: Converse refuses a cache point behind reasoning. */
export function markLast(entries: readonly Entry[], mark: CacheMark): boolean {
  const last = entries.findLast(({ block }) => block['reasoningContent'] === undefined);
  if (last) last.mark ??= mark;
  return last !== undefined;
}

/** Keeps the cache marks of a body within the limits of Claude. */
export function limitCacheMarks(entries: readonly Entry[]): void {
  limitMarks(
    entries.filter(({ mark }) => mark !== undefined),
    { isLong: ({ mark }) => isLong(mark), shorten, remove },
  );
}

function shorten(entry: Entry): void {
  entry.mark = {};
}

function remove(entry: Entry): void {
  delete entry.mark;
}

/** The blocks with their cache points. */
export function writeEntries(entries: readonly Entry[]): JsonObject[] {
  const blocks: JsonObject[] = [];
  for (const { block, mark } of entries) {
    blocks.push(block);
    if (mark) blocks.push({ cachePoint: { type: 'default', ...(isLong(mark) && { ttl: '1h' }) } });
  }
  return blocks;
}

function isLong(mark: CacheMark | undefined): boolean {
  return mark?.ttl === '1h' || mark?.ttl === '12h';
}
