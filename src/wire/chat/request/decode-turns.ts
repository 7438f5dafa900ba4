import { type JsonObject, append, isJsonObject } from '#base';
import type { Block, ReasoningBlock, ToolCallBlock, Turn } from '#canonical';
import { isObject } from '../../body/read-field.ts';
import type { Members } from '../../body/unchecked.ts';
import { decodeCacheMark } from './cache-marks.ts';
import { decodeContent, decodeTextContent } from './decode-parts.ts';
import { decodeOwnImage } from '../answer/own-images.ts';
import { decodeReasoningDetail, textOfDetail } from '../reasoning-details.ts';
import type { ChatBody, ChatContent, ChatFunctionCalled, ChatMessage, ChatToolCall } from '../schema.ts';
import { decodeArguments } from '../../tools/call-arguments.ts';
import { decodeCallSignature } from '../thought-signature.ts';

type AssistantMessage = ChatMessage & { role: 'assistant' };
type ResultMessage = ChatMessage & { role: 'tool' | 'function' };

/** The opening instructions and the turns after them. */
interface Conversation {
  system: Block[];
  turns: Turn[];
}

/** Reads `messages`: leading system and developer messages are the instructions, runs of tool messages one user turn. */
export function decodeTurns(messages: ChatBody['messages']): Conversation {
  const reader = new MessageReader();
  for (const message of messages) reader.read(message);
  return { system: reader.system, turns: reader.turns };
}

class MessageReader {
  readonly system: Block[] = [];
  readonly turns: Turn[] = [];
  /** The open turn of tool results, while tool messages follow one another. */
  #results: Turn | undefined;
  /** Calls of the deprecated `function_call`, which have no ids, by name. */
  #legacyCalls: Map<string, string> | undefined;

  read(message: ChatMessage): void {
    const isResult = message.role === 'tool' || message.role === 'function';
    if (!isResult) this.#results = undefined;
    switch (message.role) {
      case 'system':
      case 'developer': {
        const blocks = markLast(decodeTextContent(message.content), message);
        if (this.turns.length === 0) append(this.system, blocks);
        else this.#addTurn('system', blocks, message);
        break;
      }
      case 'user':
        this.#addTurn('user', markLast(decodeContent(message.content), message), message);
        break;
      case 'assistant':
        this.#addTurn('assistant', markLast(this.#readAssistant(message), message), message);
        break;
      case 'tool':
        this.#addResult(message.tool_call_id, message);
        break;
      case 'function':
        this.#addResult(this.#legacyId(message.name), message);
    }
  }

  #addTurn(role: Turn['role'], blocks: Block[], message: ChatMessage): void {
    const extra = keepExtra(message);
    this.turns.push(extra ? { role, blocks, extra: { chat: extra } } : { role, blocks });
  }

  #addResult(callId: string, message: ResultMessage): void {
    const result: Block = {
      type: 'tool-result',
      callId,
      blocks: decodeIfFilled(message.content),
      isError: false,
    };
    const cache = decodeCacheMark(message);
    if (cache) result.cache = cache;
    if (this.#results) {
      this.#results.blocks.push(result);
    } else {
      this.#results = { role: 'user', blocks: [result] };
      this.turns.push(this.#results);
    }
  }

  #readAssistant(message: AssistantMessage): Block[] {
    const blocks: Block[] = decodeReasoning(message);
    const { content, refusal, images, tool_calls: calls, function_call: legacy } = message;
    append(blocks, decodeIfFilled(content));
    if (typeof refusal === 'string' && refusal !== '') {
      blocks.push({ type: 'text', text: refusal, refusal: true });
    }
    if (Array.isArray(images))
      append(
        blocks,
        images.map(decodeOwnImage).filter((image) => image !== undefined),
      );
    if (calls) addCalls(blocks, calls);
    if (isObject(legacy)) blocks.push(this.#readLegacyCall(legacy));
    if (blocks.length === 0 && content === '') blocks.push({ type: 'text', text: '' });
    return blocks;
  }

  #readLegacyCall({ name, arguments: given }: ChatFunctionCalled): ToolCallBlock {
    const id = `call_${this.turns.length}_${name}`;
    (this.#legacyCalls ??= new Map()).set(name, id);
    return { type: 'tool-call', id, name, input: { json: decodeArguments(given) } };
  }

  #legacyId(name: string): string {
    return this.#legacyCalls?.get(name) ?? `call_0_${name}`;
  }
}

function decodeIfFilled(content: ChatContent | null | undefined): Block[] {
  return content ? decodeContent(content) : [];
}

/** A mark on the message itself applies to its last block. */
function markLast<B extends Block>(blocks: B[], message: ChatMessage): B[] {
  const mark = decodeCacheMark(message);
  const last = blocks.at(-1);
  if (mark && last) last.cache ??= mark;
  return blocks;
}

function addCalls(blocks: Block[], calls: readonly ChatToolCall[]): void {
  for (const call of calls) {
    const signature = decodeCallSignature(call);
    if (signature) blocks.push(signature);
    blocks.push(decodeToolCall(call));
  }
}

function decodeToolCall(call: ChatToolCall): ToolCallBlock {
  const block = decodeCalled(call);
  const cache = decodeCacheMark(call);
  if (cache) block.cache = cache;
  const { extra_content: echoed } = call;
  const extra: Members<ChatToolCall> = { extra_content: echoed };
  if (isJsonObject(echoed)) block.extra = { chat: extra };
  return block;
}

function decodeCalled(call: ChatToolCall): ToolCallBlock {
  const { id } = call;
  if (call.type === 'custom')
    return {
      type: 'tool-call',
      id,
      name: call.custom.name,
      input: { json: call.custom.input },
      custom: true,
    };
  const { name, arguments: given } = call.function;
  return { type: 'tool-call', id, name, input: { json: decodeArguments(given) } };
}

/** Replayed thinking: our own `reasoning_details` first, else the plain text. */
function decodeReasoning(message: AssistantMessage): ReasoningBlock[] {
  const { reasoning_content: content, reasoning, reasoning_details: details } = message;
  const text = typeof content === 'string' ? content : typeof reasoning === 'string' ? reasoning : '';
  if (!Array.isArray(details)) return text === '' ? [] : [{ type: 'reasoning', text }];
  const own = details
    .map(decodeReasoningDetail)
    .filter((block) => block !== undefined)
    .filter((block) => block.signature !== undefined || block.redacted !== undefined);
  if (own.length > 0) return own;
  const readable = text === '' ? details.map(textOfDetail).join('') : text;
  return readable === '' ? [] : [{ type: 'reasoning', text: readable }];
}

/** Message members outside the neutral model, kept for upstreams of this format. */
function keepExtra(message: ChatMessage): JsonObject | undefined {
  const { name, audio, reasoning_details: details }: Members<ChatMessage> = message;
  const hasAudio = isJsonObject(audio);
  const hasDetails = Array.isArray(details) && details.length > 0;
  if (typeof name !== 'string' && !hasAudio && !hasDetails) return undefined;
  const extra: Members<ChatMessage> = {};
  if (typeof name === 'string') extra.name = name;
  if (hasAudio) extra.audio = audio;
  if (hasDetails) extra.reasoning_details = details;
  return extra;
}
