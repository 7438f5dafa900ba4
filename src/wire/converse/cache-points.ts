import type { JsonObject } from '#base';
import type { CacheMark } from '#canonical';

/** A block, tool or instruction of the body, and whether a cache point follows it. */
export interface Entry {
  block: JsonObject;
  mark?: CacheMark;
}

const MOST_MARKS = 4;

/** Puts a mark on the last entry that may carry one: Converse refuses a cache point behind reasoning. */
export function markLast(entries: readonly Entry[], mark: CacheMark): boolean {
  const last = entries.findLast(({ block }) => block['reasoningContent'] === undefined);
  if (last) last.mark ??= mark;
  return last !== undefined;
}

/** Keeps the marks of a body within the rules: at most four, the last ones, and none of an hour after one of five minutes. */
export function limitMarks(entries: readonly Entry[]): void {
  const marked = entries.filter(({ mark }) => mark !== undefined);
  for (const entry of marked.splice(0, Math.max(0, marked.length - MOST_MARKS))) delete entry.mark;
  let hasShort = false;
  for (const entry of marked) {
    if (hasShort) entry.mark = {};
    else hasShort = !isLong(entry.mark);
  }
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
