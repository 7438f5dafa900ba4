import type { CacheMark } from '#canonical';
import { limitMarks } from '../limit-marks.ts';
import type { Members } from '../unchecked.ts';
import type { ConverseBlock, ConverseTool } from './schema.ts';

/** A block, tool or instruction of the body, with an optional cache point after it. */
export interface Entry {
  block: Members<ConverseBlock | ConverseTool>;
  mark?: CacheMark;
}

/** Marks the last entry that may carry a mark: Converse refuses a cache point after reasoning. */
export function markLast(entries: readonly Entry[], mark: CacheMark): boolean {
  const last = entries.findLast(({ block }) => block.reasoningContent === undefined);
  if (last) last.mark ??= mark;
  return last !== undefined;
}

/** Limits the cache marks of a body to what Claude accepts. */
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

/** The blocks followed by their cache points. */
export function writeEntries(entries: readonly Entry[]): Entry['block'][] {
  const blocks: Entry['block'][] = [];
  for (const { block, mark } of entries) {
    blocks.push(block);
    if (mark) blocks.push({ cachePoint: { type: 'default', ...(isLong(mark) && { ttl: '1h' }) } });
  }
  return blocks;
}

function isLong(mark: CacheMark | undefined): boolean {
  return mark?.ttl === '1h' || mark?.ttl === '12h';
}
