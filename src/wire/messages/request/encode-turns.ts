import { append } from '#base';
import type { Block, CacheMark, Dialect, ToolCallBlock, Turn } from '#canonical';
import {
  type Answer,
  type ArrangedTurn,
  type Message,
  type TurnRules,
  arrangeTurns,
  fillEnds,
  joinMessages,
} from '../../request/arrange-turns.ts';
import { CallIds } from '../../tools/call-ids.ts';
import type { EncodeContext } from '../../request/encode-context.ts';
import { encodeCacheMark } from '../cache-marks.ts';
import { encodeBlocks, encodeToolInput } from '../encode-blocks.ts';
import type { MessagesBlock } from '../block-schema.ts';
import { toFittingToolId } from '../tool-id.ts';
import type { Members } from '../../body/unchecked.ts';

type RawBlock = Members<MessagesBlock>;

const OPENING: RawBlock = { type: 'text', text: '…' };
const CLOSING: RawBlock = { type: 'text', text: 'Continue.' };

/**
 * The order Anthropic requires: roles alternate, the user first, and the results of all calls first in the next user
 * turn. Call ids must be unique, though some clients repeat them in every turn.
 */
function createRules({ dialect }: EncodeContext): TurnRules {
  const { maxLength } = dialect.toolCallId;
  const ids = new CallIds({ create: () => 'call', fit: (id) => toFittingToolId(id, maxLength) });
  return {
    joins: 'all',
    system: dialect.midSystem === 'as-user' ? 'user' : 'own',
    results: 'as-sent',
    claimId: (id) => ids.claim(id),
  };
}

/** Encodes turns as messages. A final assistant turn is kept if the model may continue it. */
export function encodeTurns(
  turns: readonly Turn[],
  context: EncodeContext,
  mayPrefill: boolean,
): Message<RawBlock>[] {
  const encoded: Message<RawBlock>[] = [];
  for (const turn of arrangeTurns(turns, createRules(context)))
    encoded.push({ role: turn.role, content: encodeTurn(turn, context) });
  const messages = joinMessages(encoded);
  trimEnd(messages);
  fillEnds(messages, { opening: OPENING, ...(!mayPrefill && { closing: CLOSING }) });
  return messages;
}

function encodeTurn({ role, blocks, answers }: ArrangedTurn, context: EncodeContext): RawBlock[] {
  if (role === 'assistant') return encodeAssistant(blocks, context);
  const isOrphaned = blocks.some(({ type }) => type === 'tool-result');
  const plain = encodeBlocks(isOrphaned ? blocks.flatMap(describeOrphan) : blocks, context.target);
  if (answers.length === 0) return plain;
  const content: RawBlock[] = [];
  for (const answer of answers) content.push(encodeToolResult(answer, context));
  return append(content, plain);
}

function encodeAssistant(blocks: readonly Block[], context: EncodeContext): RawBlock[] {
  const content: RawBlock[] = [];
  let plain: Block[] = [];
  for (const block of blocks) {
    if (block.type !== 'tool-call') {
      plain.push(block);
      continue;
    }
    append(content, encodeBlocks(plain, context.target));
    content.push(encodeCall(block, context));
    plain = [];
  }
  return append(content, encodeBlocks(plain, context.target));
}

function encodeCall(call: ToolCallBlock, { dialect, names }: EncodeContext): RawBlock {
  const encoded: RawBlock = {
    type: 'tool_use',
    id: call.id,
    name: names.encode(call.name),
    input: encodeToolInput(call),
  };
  if (call.cache && takesMarks(dialect)) encoded.cache_control = encodeCacheMark(call.cache);
  return encoded;
}

/** Merges the results of one call: Anthropic refuses two. */
function encodeToolResult({ call, results }: Answer, { target, dialect }: EncodeContext): RawBlock {
  const content: RawBlock[] = [];
  let isError = false;
  let cache: CacheMark | undefined;
  for (const result of results) {
    append(content, encodeBlocks(result.blocks, target));
    isError ||= result.isError;
    cache = result.cache ?? cache;
  }
  const encoded: RawBlock = { type: 'tool_result', tool_use_id: call.id };
  if (content.length > 0) encoded.content = content;
  if (isError) encoded.is_error = true;
  if (cache && takesMarks(dialect)) encoded.cache_control = encodeCacheMark(cache);
  return encoded;
}

function takesMarks({ cacheMarks }: Dialect): boolean {
  return cacheMarks === 'cache_control';
}

/** A result without its call, as user content. */
function describeOrphan(block: Block): Block[] {
  if (block.type !== 'tool-result') return [block];
  return [{ type: 'text', text: `Result of the tool call ${block.callId}:` }, ...block.blocks];
}

/** Anthropic refuses a final assistant text that ends in white space. */
function trimEnd(messages: readonly Message<RawBlock>[]): void {
  const last = messages.at(-1);
  const block = last?.content.at(-1);
  if (last?.role !== 'assistant' || typeof block?.text !== 'string') return;
  block.text = block.text.trimEnd();
}
