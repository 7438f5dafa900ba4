import { append } from '#base';
import type { Block, Dialect, ToolCallBlock, Turn } from '#canonical';
import { type TurnRules, arrangeTurns } from '../../request/arrange-turns.ts';
import { itemsOf } from '../../body/read-field.ts';
import { describeOrphan } from '../../request/describe-result.ts';
import { listTexts } from '../../request/instructions.ts';
import { isTextual, listInnerMedia } from '../../media/document-text.ts';
import { encodeCacheMark } from './cache-marks.ts';
import type { EncodeContext } from '../../request/encode-context.ts';
import { encodeMedia } from './encode-media.ts';
import { encodeToolCall } from '../answer/encode-result.ts';
import { encodeToolResult } from './encode-tool-result.ts';
import type { ChatMessage, ChatToolCall } from '../schema.ts';
import type { ChatPart } from '../part-schema.ts';
import type { Members } from '../../body/unchecked.ts';
import { PartList } from './part-list.ts';
import { decodeReasoningDetail, isIssued } from '../reasoning-details.ts';
import { GOOGLE, attachSignatures, withoutSignature } from '../thought-signature.ts';

/**
 * Chat requires a tool message for each call, in order, directly after the calls. Assistant turns after one with calls
 * are joined because other formats merge turns of one role and put the results last.
 */
const RULES: TurnRules = { joins: 'after-calls', system: 'own', results: 'by-call' };

type Message = Members<ChatMessage>;

/** Writes turns as messages. */
export function encodeTurns(turns: readonly Turn[], context: EncodeContext): Message[] {
  const messages: Message[] = [];
  /** Parts of results that only a user message can contain; the next user message takes them. */
  let attachments: Members<ChatPart>[] = [];
  for (const turn of arrangeTurns(turns, RULES)) {
    for (const { call, results } of turn.answers) {
      const encoded = encodeToolResult(call.id, results, context);
      messages.push(encoded.message);
      append(attachments, encoded.attachments);
    }
    if (turn.answers.length > 0) continue;
    if (turn.role === 'assistant') {
      addIf(messages, encodeAssistant(turn, context));
    } else if (turn.role === 'system') {
      addIf(messages, encodeSystem(turn, context));
    } else {
      addIf(messages, encodeUser(turn, attachments, context));
      attachments = [];
    }
  }
  return messages;
}

function addIf(messages: Message[], message: Message | undefined): void {
  if (message) messages.push(message);
}

function encodeUser(
  turn: Turn,
  attachments: readonly Members<ChatPart>[],
  context: EncodeContext,
): Message | undefined {
  const parts = new PartList(context.dialect.cacheMarks);
  for (const part of attachments) parts.add(part);
  for (const block of turn.blocks) addUserBlock(block, parts, context);
  if (parts.isEmpty) return undefined;
  const message: Message = { role: 'user', content: parts.toContent() };
  addName(message, turn);
  return message;
}

function addUserBlock(block: Block, parts: PartList, context: EncodeContext): void {
  switch (block.type) {
    case 'text':
      parts.addText(block.text, block.cache);
      break;
    case 'media':
      if (!isTextual(block)) parts.addText(block.context ?? '');
      parts.add(encodeMedia(block, context.dialect.media), block.cache);
      for (const inner of listInnerMedia(block))
        parts.add(encodeMedia(inner, context.dialect.media), inner.cache);
      break;
    case 'tool-result':
      parts.addText(describeOrphan(block), block.cache);
      break;
    case 'native':
    case 'reasoning':
    case 'tool-call':
      if (block.cache) parts.passMark(block.cache);
  }
}

function addName(message: Message, { extra }: Turn): void {
  const kept: Message | undefined = extra?.chat;
  if (typeof kept?.name === 'string') message.name = kept.name;
}

/** Instructions in mid-conversation keep their position; some upstreams accept them only in the user role. */
function encodeSystem(turn: Turn, context: EncodeContext): Message | undefined {
  const parts = new PartList(context.dialect.cacheMarks);
  for (const { text, cache } of listTexts(turn.blocks)) parts.addText(text, cache);
  if (parts.isEmpty) return undefined;
  const role = context.dialect.midSystem === 'in-place' ? context.dialect.systemRole : 'user';
  return { role, content: parts.toText('\n\n') };
}

function encodeAssistant(turn: Turn, context: EncodeContext): Message | undefined {
  const { dialect } = context;
  const parts = new PartList(dialect.cacheMarks);
  const calls: Members<ChatToolCall>[] = [];
  for (const block of dialect.issuer === GOOGLE ? attachSignatures(turn.blocks) : turn.blocks) {
    if (block.type === 'text') {
      parts.addText(block.text, block.cache);
      continue;
    }
    if (block.type === 'tool-call') calls.push(encodeCall(block, context));
    const isMarked = block.type === 'tool-call' && dialect.cacheMarks === 'cache_control';
    if (block.cache && !isMarked) parts.passMark(block.cache);
  }
  if (parts.isEmpty && calls.length === 0) return undefined;
  const message: Message = { role: 'assistant', content: parts.isEmpty ? null : parts.toText('') };
  addReplay(message, turn, { dialect, hasCalls: calls.length > 0 });
  if (calls.length > 0) message.tool_calls = calls;
  addName(message, turn);
  const kept: Message | undefined = turn.extra?.chat;
  if (kept?.audio !== undefined) message.audio = kept.audio;
  return message;
}

function encodeCall(block: ToolCallBlock, { dialect, names, ids }: EncodeContext): Members<ChatToolCall> {
  const own = dialect.issuer === GOOGLE ? block : withoutSignature(block);
  const call = encodeToolCall({ ...own, id: ids.encode(block.id), name: names.encode(block.name) });
  if (dialect.cacheMarks === 'cache_control')
    Object.assign(call, encodeCacheMark(block.cache, 'cache_control'));
  return call;
}

interface ReplayFacts {
  dialect: Dialect;
  hasCalls: boolean;
}

/**
 * Only unsigned thinking is replayed, and only to upstreams that use it; DeepSeek and Kimi require the field alongside
 * calls.
 */
function addReplay(message: Message, turn: Turn, { dialect, hasCalls }: ReplayFacts): void {
  const field = dialect.reasoningReplay;
  if (field === 'none') return;
  const text = turn.blocks
    .map((block) => (block.type === 'reasoning' && !isIssued(block) ? block.text : ''))
    .join('');
  if (text !== '' || (hasCalls && field === 'reasoning_content')) message[field] = text;
  const kept: Message | undefined = turn.extra?.chat;
  const foreign = itemsOf(kept?.reasoning_details).filter((item) => !decodeReasoningDetail(item));
  if (foreign.length > 0) message.reasoning_details = foreign;
}
