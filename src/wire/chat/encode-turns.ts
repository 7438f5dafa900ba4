import { type JsonObject, append } from '#base';
import type { Block, Extra, ToolCallBlock, ToolResultBlock, Turn } from '#canonical';
import { createMissingResult, describeOrphan } from '../describe-result.ts';
import { isTextual, listInnerMedia } from '../document-text.ts';
import { encodeCacheMark } from './cache-mark.ts';
import type { EncodeContext } from './encode-context.ts';
import { encodeMedia } from './encode-media.ts';
import { encodeToolCall } from './encode-result.ts';
import { encodeToolResult } from './encode-tool-result.ts';
import { PartList } from './part-list.ts';
import { decodeReasoningDetail, isIssued } from './reasoning-details.ts';
import { GOOGLE, attachSignatures, withoutSignature } from './thought-signature.ts';

/**
 * Writes turns as messages. After an assistant turn with calls come one tool message per call, in the order of the calls
 * and contiguous, and only then what else the following turns say.
 */
export function encodeTurns(said: Turn[], context: EncodeContext): JsonObject[] {
  const turns = joinCallers(said);
  const messages: JsonObject[] = [];
  for (let at = 0; at < turns.length;) {
    const turn = turns[at];
    if (turn?.role === 'assistant') addIf(messages, encodeAssistant(turn, context));
    const calls = turn?.role === 'assistant' ? turn.blocks.filter((block) => block.type === 'tool-call') : [];
    const from = turn?.role === 'assistant' ? at + 1 : at;
    at = findNextAssistant(turns, from);
    addReplies(messages, { calls, turns: turns.slice(from, at) }, context);
  }
  return messages;
}

/**
 * An assistant turn with calls, joined with the assistant turns right behind it: other formats merge turns of one role, and
 * the results of all their calls come after the last.
 */
function joinCallers(turns: Turn[]): Turn[] {
  if (!hasRun(turns)) return turns;
  const runs: Turn[][] = [];
  let ids = new Set<string>();
  for (const turn of turns) {
    const called = listCallIds(turn);
    // Ids that are used again tell calls of another round.
    const goesOn = turn.role === 'assistant' && ids.size > 0 && !called.some((id) => ids.has(id));
    if (goesOn) runs.at(-1)?.push(turn);
    else {
      runs.push([turn]);
      ids = new Set();
    }
    for (const id of called) ids.add(id);
  }
  return runs.flatMap((run) => (run.length === 1 ? run : [joinRun(run)]));
}

/** A loop: a closure over the turns lives on in a compiler at work, and they with it. */
function hasRun(turns: readonly Turn[]): boolean {
  for (let at = 1; at < turns.length; at += 1)
    if (turns[at]?.role === 'assistant' && turns[at - 1]?.role === 'assistant') return true;
  return false;
}

function joinRun(run: Turn[]): Turn {
  const extra: Extra = {};
  for (const turn of run) Object.assign(extra, turn.extra);
  return { role: 'assistant', blocks: run.flatMap(({ blocks }) => blocks), extra };
}

function listCallIds({ role, blocks }: Turn): string[] {
  if (role !== 'assistant') return [];
  return blocks.flatMap((block) => (block.type === 'tool-call' ? [block.id] : []));
}

function findNextAssistant(turns: Turn[], from: number): number {
  let next = from;
  while (next < turns.length && turns[next]?.role !== 'assistant') next += 1;
  return next;
}

function addIf(messages: JsonObject[], message: JsonObject | undefined): void {
  if (message) messages.push(message);
}

/** The turns between two assistant turns, with the calls they answer. */
interface Span {
  calls: ToolCallBlock[];
  turns: Turn[];
}

function addReplies(messages: JsonObject[], span: Span, context: EncodeContext): void {
  const results = collectResults(span);
  let attachments: JsonObject[] = [];
  for (const call of span.calls) {
    const encoded = encodeToolResult(
      call.id,
      results.get(call.id) ?? [createMissingResult(call.id)],
      context,
    );
    messages.push(encoded.message);
    append(attachments, encoded.attachments);
  }
  for (const turn of span.turns) {
    if (turn.role === 'system') {
      addIf(messages, encodeSystemTurn(turn, context));
      continue;
    }
    addIf(messages, encodeUser(turn, { attachments, answered: results }, context));
    attachments = [];
  }
  if (attachments.length > 0) messages.push({ role: 'user', content: attachments });
}

function collectResults(span: Span): Map<string, ToolResultBlock[]> {
  const results = new Map<string, ToolResultBlock[]>();
  if (span.calls.length === 0) return results;
  const called = new Set(span.calls.map((call) => call.id));
  for (const block of span.turns.flatMap((turn) => turn.blocks)) {
    if (block.type !== 'tool-result' || !called.has(block.callId)) continue;
    const known = results.get(block.callId);
    if (known) known.push(block);
    else results.set(block.callId, [block]);
  }
  return results;
}

interface UserExtras {
  attachments: JsonObject[];
  answered: Map<string, ToolResultBlock[]>;
}

function encodeUser(turn: Turn, extras: UserExtras, context: EncodeContext): JsonObject | undefined {
  const parts = new PartList(context.dialect.cacheMarks);
  for (const part of extras.attachments) parts.add(part);
  for (const block of turn.blocks) {
    if (block.type === 'tool-result' && extras.answered.has(block.callId)) continue;
    addUserBlock(block, parts, context);
  }
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

/** Instructions in mid-conversation stay where they are; some upstreams take them only from the user. */
function encodeSystemTurn(turn: Turn, context: EncodeContext): JsonObject | undefined {
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

/** Thinking goes back only unsigned and only to upstreams that want it; DeepSeek and Kimi insist on the field beside calls. */
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
