import { type Block, type ToolCallBlock, type Turn, inputJsonOf } from '#canonical';
import { type TurnRules, arrangeTurns } from '../../request/arrange-turns.ts';
import { describeOrphan } from '../../request/describe-result.ts';
import { listInnerMedia } from '../../media/document-text.ts';
import type { EncodeContext } from '../../request/encode-context.ts';
import { encodeMedia } from './encode-media.ts';
import { encodeReasoningItem } from './encode-reasoning.ts';
import { addToolResult } from './encode-tool-result.ts';
import type { InputList } from './input-list.ts';
import type { ResponsesItem, ResponsesPart } from '../item-schema.ts';
import type { Members } from '../../body/unchecked.ts';

type Item = Members<ResponsesItem>;
type Part = Members<ResponsesPart>;

/** Items keep their order: results come first in their turn, or after another answer. */
const RULES: TurnRules = { joins: 'none', system: 'own', results: 'in-place' };

/** Encodes turns as input items. */
export function addTurns(list: InputList, turns: readonly Turn[], context: EncodeContext): void {
  for (const turn of arrangeTurns(turns, RULES)) {
    for (const answer of turn.answers) addToolResult(list, answer, context);
    if (turn.role === 'assistant') {
      addAssistant(list, turn, context);
      continue;
    }
    const isSystem = turn.role === 'system' && context.dialect.midSystem === 'in-place';
    const role = isSystem ? context.dialect.systemRole : 'user';
    addMessage(list, { role, blocks: turn.blocks }, context);
  }
}

/** A user message or an instruction. */
interface Message {
  role: string;
  blocks: readonly Block[];
}

export function addMessage(list: InputList, { role, blocks }: Message, context: EncodeContext): void {
  const content: Part[] = [];
  const items: Item[] = [];
  for (const block of blocks) {
    if (block.type === 'native' && block.format === 'responses') items.push(block.value);
    const parts = encodePart(block, context);
    parts.forEach((part, at) => {
      content.push(part);
      list.markPart(part, at === parts.length - 1 ? block.cache : undefined);
    });
    if (parts.length === 0 && block.cache) list.passMark(block.cache);
  }
  for (const item of items) list.add(item);
  if (content.length > 0) list.add({ type: 'message', role, content });
}

function encodePart(block: Block, { dialect }: EncodeContext): Part[] {
  switch (block.type) {
    case 'text':
      return block.text === '' ? [] : [{ type: 'input_text', text: block.text }];
    case 'media':
      return [block, ...listInnerMedia(block)].map((media) => encodeMedia(media, dialect.media));
    case 'tool-result':
      return [{ type: 'input_text', text: describeOrphan(block) }];
    default:
      return [];
  }
}

function addAssistant(list: InputList, turn: Turn, context: EncodeContext): void {
  // Reasoning belongs to the item after it: OpenAI rejects it without one.
  let reasoning: Item[] = [];
  let message: { content: Part[]; key: string } | undefined;
  const add = (item: Item): void => {
    for (const earlier of reasoning) list.add(earlier);
    reasoning = [];
    list.add(item);
  };
  for (const block of turn.blocks) {
    if (block.type === 'text') {
      const key = keyOf(block);
      if (message?.key !== key) message = undefined;
      if (block.text !== '' && message) message.content.push(encodeText(block.text, block.refusal));
      else if (block.text !== '') {
        message = { content: [encodeText(block.text, block.refusal)], key };
        add(createMessage(message.content, block));
      }
    } else {
      message = undefined;
      const item = encodeItem(block, context);
      if (item && block.type === 'reasoning') reasoning.push(item);
      else if (item) add(item);
    }
    if (block.cache) list.passMark(block.cache);
  }
}

function encodeText(text: string, isRefusal: boolean | undefined): Part {
  return isRefusal ? { type: 'refusal', refusal: text } : { type: 'output_text', text };
}

/** Texts with the same key belong to one message. */
function keyOf({ extra }: Block): string {
  const { id = '', phase = '' }: Item = extra?.responses ?? {};
  return JSON.stringify([id, phase]);
}

/** Codex models need the phase to separate commentary from the final answer. */
function createMessage(content: Part[], { extra }: Block): Item {
  const message: Item = { type: 'message', role: 'assistant', content };
  const own: Item = extra?.responses ?? {};
  if (typeof own.phase === 'string') message.phase = own.phase;
  return message;
}

function encodeItem(block: Block, context: EncodeContext): Item | undefined {
  switch (block.type) {
    case 'reasoning':
      return encodeReasoningItem(block, context.target);
    case 'tool-call':
      return encodeCall(block, context);
    case 'native':
      return block.format === 'responses' ? block.value : undefined;
    default:
      return undefined;
  }
}

function encodeCall(call: ToolCallBlock, { ids, names }: EncodeContext): Item {
  const common = { call_id: ids.encode(call.id), name: names.encode(call.name) };
  if (call.custom)
    return { type: 'custom_tool_call', ...common, input: 'json' in call.input ? call.input.json : '' };
  return { type: 'function_call', ...common, arguments: inputJsonOf(call) };
}
