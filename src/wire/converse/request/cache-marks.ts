import type { CacheMark, SetMarks } from '#canonical';
import { findMarkedMessages, limitMarks } from '../../request/limit-marks.ts';
import type { Members } from '../../body/unchecked.ts';
import type { ConverseBlock, ConverseTool } from '../schema.ts';
import { isLongMark } from '#canonical';

/** A block, tool or instruction of the body, with an optional cache point after it. */
export interface CacheableEntry {
  block: Members<ConverseBlock | ConverseTool>;
  mark?: CacheMark;
}

/** Marks the last entry that may carry a mark: Converse refuses a cache point after reasoning. */
export function markLast(entries: readonly CacheableEntry[], mark: CacheMark): boolean {
  const last = entries.findLast(({ block }) => block.reasoningContent === undefined);
  if (last) last.mark ??= mark;
  return last !== undefined;
}

interface Markable {
  system: readonly CacheableEntry[];
  messages: readonly { role: string; content: readonly CacheableEntry[] }[];
}

/** Sets cache marks in a body without any. Not behind tools: some models cache only instructions and messages. */
export function setCacheMarks({ system, messages }: Markable, marks: SetMarks | undefined): void {
  if (marks === undefined) return;
  markLast(system, {});
  if (marks === 'instructions') return;
  for (const at of findMarkedMessages(messages.map(({ role }) => role)))
    markLast(messages[at]?.content ?? [], {});
}

/** Limits the cache marks of a body to what Claude accepts. */
export function limitCacheMarks(entries: readonly CacheableEntry[]): void {
  limitMarks(
    entries.filter(({ mark }) => mark !== undefined),
    { isLong: ({ mark }) => isLongMark(mark), shorten, remove },
  );
}

function shorten(entry: CacheableEntry): void {
  entry.mark = {};
}

function remove(entry: CacheableEntry): void {
  delete entry.mark;
}

/** The blocks followed by their cache points. */
export function writeEntries(entries: readonly CacheableEntry[]): CacheableEntry['block'][] {
  const blocks: CacheableEntry['block'][] = [];
  for (const { block, mark } of entries) {
    blocks.push(block);
    if (mark) blocks.push({ cachePoint: { type: 'default', ...(isLongMark(mark) && { ttl: '1h' }) } });
  }
  return blocks;
}
