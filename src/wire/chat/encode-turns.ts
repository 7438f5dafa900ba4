import { type JsonObject, append } from '#base';
import type { Block, Turn } from '#canonical';
import { type TurnRules, arrangeTurns } from '../arrange-turns.ts';
import { describeOrphan } from '../describe-result.ts';
import { isTextual, listInnerMedia } from '../document-text.ts';
import { encodeCacheMark } from './cache-marks.ts';
import type { EncodeContext } from '../encode-context.ts';
import { encodeMedia } from './encode-media.ts';
import { encodeToolCall } from './encode-result.ts';
import { encodeToolResult } from './encode-tool-result.ts';
import { PartList } from './part-list.ts';
import { decodeReasoningDetail, isIssued } from './reasoning-details.ts';
import { GOOGLE, attachSignatures, withoutSignature } from './thought-signature.ts';

/**
 * Chat requires a tool message for each call, in order, directly after the calls. Assistant turns after one with calls
 * are joined because other formats merge turns of one role and put the results last.
 */
const RULES: TurnRules = { joins: 'after-calls', system: 'own', results: 'by-call' };

/** Writes turns as messages. */
export function encodeTurns(turns: readonly Turn[], context: EncodeContext): JsonObject[] {
  const messages: JsonObject[] = [];
  /** Result parts that only a user message can contain; they go to the next one, or to one of their own. */
  let attachments: JsonObject[] = [];
  const addAttachments = (): void => {
    if (attachments.length > 0) messages.push({ role: 'user', content: attachments });
    attachments = [];
  };
  for (const turn of arrangeTurns(turns, RULES)) {
    for (const { call, results } of turn.answers) {
      const encoded = encodeToolResult(call.id, results, context);
      messages.push(encoded.message);
      append(attachments, encoded.attachments);
    }
    if (turn.answers.length > 0) continue;
    if (turn.role === 'assistant') {
      addAttachments();
      addIf(messages, encodeAssistant(turn, context));
    } else if (turn.role === 'system') {
      addIf(messages, encodeSystem(turn, context));
    } else {
      addIf(messages, encodeUser(turn, attachments, context));
      attachments = [];
    }
  }
  addAttachments();
  return messages;
}

function addIf(messages: JsonObject[], message: JsonObject | undefined): void {
  if (message) messages.push(message);
}

function encodeUser(
  turn: Turn,
  attachments: readonly JsonObject[],
  context: EncodeContext,
): JsonObject | undefined {
  const parts = new PartList(context.dialect.cacheMarks);
  for (const part of attachments) parts.add(part);
  for (const block of turn.blocks) addUserBlock(block, parts, context);
  if (parts.isEmpty) return undefined;
  return { role: 'user', content: parts.toContent(), ...nameOf(turn) };
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

function nameOf(turn: Turn): JsonObject {
  const name = turn.extra?.chat?.['name'];
  return typeof name === 'string' ? { name } : {};
}

/** Instructions in mid-conversation keep their position; some upstreams accept them only in the user role. */
function encodeSystem(turn: Turn, context: EncodeContext): JsonObject | undefined {
  const parts = new PartList(context.dialect.cacheMarks);
  for (const block of turn.blocks) if (block.type === 'text') parts.addText(block.text, block.cache);
  if (parts.isEmpty) return undefined;
  const role = context.dialect.midSystem === 'in-place' ? context.dialect.systemRole : 'user';
  return { role, content: parts.toText('\n\n') };
}

function encodeAssistant(turn: Turn, context: EncodeContext): JsonObject | undefined {
  const { dialect, names, ids } = context;
  const parts = new PartList(dialect.cacheMarks);
  const calls: JsonObject[] = [];
  const signs = dialect.issuer === GOOGLE;
  for (const block of signs ? attachSignatures(turn.blocks) : turn.blocks) {
    if (block.type === 'text') {
      parts.addText(block.text, block.cache);
    } else if (block.type === 'tool-call') {
      const own = signs ? block : withoutSignature(block);
      const call = encodeToolCall({ ...own, id: ids.encode(block.id), name: names.encode(block.name) });
      if (block.cache && dialect.cacheMarks !== 'cache_control') parts.passMark(block.cache);
      calls.push({
        ...call,
        ...(dialect.cacheMarks === 'cache_control' && encodeCacheMark(block.cache, 'cache_control')),
      });
    } else if (block.cache) {
      parts.passMark(block.cache);
    }
  }
  if (parts.isEmpty && calls.length === 0) return undefined;
  return {
    role: 'assistant',
    content: parts.isEmpty ? null : parts.toText(''),
    ...encodeReplay(turn, calls.length > 0, context),
    ...(calls.length > 0 && { tool_calls: calls }),
    ...nameOf(turn),
    ...audioOf(turn),
  };
}

function audioOf(turn: Turn): JsonObject {
  const audio = turn.extra?.chat?.['audio'];
  return audio === undefined ? {} : { audio };
}

/**
 * Only unsigned thinking is replayed, and only to upstreams that use it; DeepSeek and Kimi require the field beside
 * calls.
 */
function encodeReplay(turn: Turn, hasCalls: boolean, context: EncodeContext): JsonObject {
  const field = context.dialect.reasoningReplay;
  if (field === 'none') return {};
  const text = turn.blocks
    .filter((block) => block.type === 'reasoning' && !isIssued(block))
    .map((block) => (block.type === 'reasoning' ? block.text : ''))
    .join('');
  const details = turn.extra?.chat?.['reasoning_details'];
  const foreign = Array.isArray(details) ? details.filter((item) => !decodeReasoningDetail(item)) : [];
  const isNeeded = text !== '' || (hasCalls && field === 'reasoning_content');
  return { ...(isNeeded && { [field]: text }), ...(foreign.length > 0 && { reasoning_details: foreign }) };
}
