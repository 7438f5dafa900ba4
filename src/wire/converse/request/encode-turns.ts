import type { Block, CacheMark, ToolCallBlock, Turn } from '#canonical';
import {
  type Answer,
  type Message,
  type TurnRules,
  arrangeTurns,
  fillEnds,
  joinMessages,
} from '../../request/arrange-turns.ts';
import { describeOrphan } from '../../request/describe-result.ts';
import { encodeInput } from '../../tools/call-arguments.ts';
import { DistinctNames } from '../../tools/distinct-names.ts';
import { type CacheableEntry, markLast } from './cache-marks.ts';
import { addBlock } from './encode-blocks.ts';
import type { Members } from '../../body/unchecked.ts';
import { type EncodeContext, FILLER } from './encode-context.ts';
import type { ConverseBlock, ConverseCall } from '../schema.ts';

/**
 * Roles alternate and the user is first; call ids are unique, and each call is answered once, first in the next turn.
 */
function createRules({ target: { dialect }, ids }: EncodeContext): TurnRules {
  const distinct = new DistinctNames({ separator: ' ' });
  return {
    joins: 'all',
    system: dialect.midSystem === 'as-user' ? 'user' : 'own',
    results: 'as-sent',
    claimId: (id) => ids.encode(distinct.create(id)),
  };
}

/** Encodes turns as messages. A final assistant turn is kept if the model may continue it. */
export function encodeTurns(
  turns: readonly Turn[],
  context: EncodeContext,
  mayPrefill: boolean,
): Message<CacheableEntry>[] {
  const encoded: Message<CacheableEntry>[] = [];
  for (const turn of arrangeTurns(turns, createRules(context))) {
    const content = turn.answers.map((answer) => encodeToolResult(answer, context));
    encoded.push({ role: turn.role, content });
    for (const block of turn.blocks) {
      const mark = addTurnBlock(content, block, context);
      if (mark) encoded.findLast((message) => markLast(message.content, mark));
    }
  }
  const messages = joinMessages(encoded);
  trimEnd(messages);
  const closing = { block: { text: 'Continue.' } };
  fillEnds(messages, { opening: { block: { text: FILLER } }, ...(!mayPrefill && { closing }) });
  for (const message of messages) addRequiredText(message);
  return messages;
}

/** Returns a cache mark that no block of this message can carry: it moves to the last block before. */
function addTurnBlock(
  content: CacheableEntry[],
  block: Block,
  context: EncodeContext,
): CacheMark | undefined {
  if (block.type !== 'tool-call') return addBlock(content, replaceOrphan(block), context);
  content.push({ block: { toolUse: encodeCall(block, context) }, ...(block.cache && { mark: block.cache }) });
  return undefined;
}

function replaceOrphan(block: Block): Block {
  return block.type === 'tool-result' ? { type: 'text', text: describeOrphan(block) } : block;
}

function encodeCall(call: ToolCallBlock, { names }: EncodeContext): Members<ConverseCall> {
  return { toolUseId: call.id, name: names.encode(call.name), input: encodeInput(call) };
}

/** Merges the results of one call: a call takes exactly one. */
function encodeToolResult({ call, results }: Answer, context: EncodeContext): CacheableEntry {
  const inner: CacheableEntry[] = [];
  let isError = false;
  let mark: CacheMark | undefined;
  for (const result of results) {
    let inside: CacheMark | undefined;
    for (const block of result.blocks) {
      addBlock(inner, block, context);
      inside ??= block.cache;
    }
    mark = result.cache ?? inside ?? mark;
    isError ||= result.isError;
  }
  const toolResult: Members<ConverseBlock['toolResult']> = {
    toolUseId: call.id,
    content: inner.length > 0 ? inner.map(({ block }) => block) : [{ text: FILLER }],
  };
  if (isError) toolResult.status = 'error';
  return mark ? { block: { toolResult }, mark } : { block: { toolResult } };
}

/** Claude refuses a final assistant text that ends in white space. */
function trimEnd(messages: readonly Message<CacheableEntry>[]): void {
  const last = messages.at(-1);
  const entry = last?.content.at(-1);
  if (last?.role !== 'assistant' || typeof entry?.block.text !== 'string') return;
  entry.block = { text: entry.block.text.trimEnd() };
}

/** Converse requires a text alongside every document. */
function addRequiredText({ content }: Message<CacheableEntry>): void {
  const hasDocument = content.some(({ block }) => block.document !== undefined);
  const hasText = content.some(({ block }) => block.text !== undefined);
  if (hasDocument && !hasText) content.push({ block: { text: FILLER } });
}
