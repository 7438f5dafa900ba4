import { limitMarks } from '../request/limit-marks.ts';
import { isObject, itemsOf } from '../body/read-field.ts';
import type { MessagesBlock } from './block-schema.ts';
import type { MessagesBody, MessagesTool } from './schema.ts';
import type { Members, Unchecked } from '../body/unchecked.ts';

type Marked = Members<MessagesBlock | MessagesTool>;

/** Limits the cache marks of an encoded body to what Anthropic accepts. */
export function limitCacheMarks(body: Members<MessagesBody>): void {
  const marked: Marked[] = [];
  collect(itemsOf(body.tools), marked);
  collect(itemsOf(body.system), marked);
  for (const message of itemsOf(body.messages))
    if (isObject(message)) collect(itemsOf(message.content), marked);
  limitMarks(marked, { isLong, shorten, remove });
}

function collect(blocks: readonly Unchecked<MessagesBlock | MessagesTool>[], marked: Marked[]): void {
  for (const block of blocks) {
    if (!isObject(block)) continue;
    if (block.type === 'tool_result') collect(itemsOf(block.content), marked);
    if (block.cache_control !== undefined) marked.push(block);
  }
}

function isLong({ cache_control: mark }: Marked): boolean {
  return !isObject(mark) || mark.ttl === '1h';
}

function shorten(block: Marked): void {
  block.cache_control = { type: 'ephemeral' };
}

function remove(block: Marked): void {
  delete block.cache_control;
}
