import { isArray, isObject, isPresent } from '../body/read-field.ts';
import type { Unchecked } from '../body/unchecked.ts';
import type { MessagesBlock, MessagesCacheControl } from './block-schema.ts';
import type { MessagesMessage } from './schema.ts';

type Blocks = Unchecked<MessagesBlock>[];

export type CacheControlMark = Unchecked<MessagesCacheControl | null> | undefined;

const UNMARKABLE: ReadonlySet<unknown> = new Set(['thinking', 'redacted_thinking']);

/** A copy of some content with a cache mark at its end; undefined where nothing can carry one. */
export function markContent(
  content: Unchecked<MessagesMessage['content']> | undefined,
  mark: CacheControlMark,
): Blocks | undefined {
  if (typeof content === 'string' && content !== '')
    return [{ type: 'text', text: content, cache_control: mark }];
  if (!isArray(content)) return undefined;
  const copy = content.slice();
  return markLast(copy, mark) ? copy : undefined;
}

/** Marks the last block that may carry a mark, in a copy of it; none before this position. */
export function markLast(blocks: Blocks, mark: CacheControlMark, from = 0): boolean {
  for (let at = blocks.length - 1; at >= from; at -= 1) {
    const block = blocks[at];
    if (!isObject(block) || UNMARKABLE.has(block.type)) continue;
    if (!isPresent(block.cache_control)) blocks[at] = { ...block, cache_control: mark };
    return true;
  }
  return false;
}
