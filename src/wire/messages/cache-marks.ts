import type { CacheMark, SetMarks } from '#canonical';
import { isArray, isObject, isPresent, itemsOf } from '../body/read-field.ts';
import type { Members, Unchecked } from '../body/unchecked.ts';
import { findMarkedMessages, limitMarks } from '../request/limit-marks.ts';
import type { MessagesBlock, MessagesCacheControl, MessagesKnownBlock } from './block-schema.ts';
import type { MessagesBody, MessagesMessage, MessagesTool } from './schema.ts';

type Body = Members<MessagesBody>;
type Blocks = Unchecked<MessagesBlock>[];
type Marked = Members<MessagesBlock | MessagesTool>;

export type CacheControlMark = Unchecked<MessagesCacheControl | null> | undefined;

const MARK: Members<MessagesCacheControl> = { type: 'ephemeral' };
const UNMARKABLE: ReadonlySet<unknown> = new Set<MessagesKnownBlock['type']>([
  'thinking',
  'redacted_thinking',
]);

export function encodeCacheMark({ ttl }: CacheMark): Members<MessagesCacheControl> {
  return ttl === '1h' || ttl === '12h' ? { type: 'ephemeral', ttl: '1h' } : { type: 'ephemeral' };
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

/** Sets cache marks in an encoded body without any. What carries one is copied: it may be the caller's own. */
export function setCacheMarks(body: Body, marks: SetMarks | undefined): void {
  if (marks === undefined) return;
  markInstructions(body);
  if (marks === 'conversation') markConversation(body);
}

/** Tools come before instructions, whose mark covers both. */
function markInstructions(body: Body): void {
  const system = markContent(body.system, MARK);
  if (system) body.system = system;
  else if (isArray(body.tools)) {
    const at = body.tools.findLastIndex((tool) => isObject(tool) && tool.defer_loading !== true);
    const tool = body.tools[at];
    if (isObject(tool)) body.tools = body.tools.with(at, { ...tool, cache_control: MARK });
  }
}

function markConversation(body: Body): void {
  if (!isArray(body.messages)) return;
  const messages = body.messages.slice();
  const roles = messages.map((message) => (isObject(message) ? message.role : undefined));
  for (const at of findMarkedMessages(roles)) {
    const message = messages[at];
    const content = isObject(message) ? markContent(message.content, MARK) : undefined;
    if (isObject(message) && content) messages[at] = { ...message, content };
  }
  body.messages = messages;
}

/** Limits the cache marks of an encoded body to what Anthropic accepts. */
export function limitCacheMarks(body: Body): void {
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
  block.cache_control = { ...MARK };
}

function remove(block: Marked): void {
  delete block.cache_control;
}
