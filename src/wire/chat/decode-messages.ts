import { type JsonObject, type JsonValue, append, isJsonObject } from '#base';
import type { Block, ReasoningBlock, ToolCallBlock, Turn } from '#canonical';
import { decodeCacheMark } from './cache-marks.ts';
import { decodeContent, decodeTextContent } from './decode-parts.ts';
import {
  isObject,
  isPresent,
  refuse,
  requireArray,
  requireObject,
  requireString,
  requireText,
} from './read-field.ts';
import type { ChatBody, ChatFunctionCalled, ChatMessage, ChatToolCall } from './schema.ts';
import type { Members, Unchecked } from '../unchecked.ts';
import { decodeOwnImage } from './own-images.ts';
import { decodeReasoningDetail, textOfDetail } from './reasoning-details.ts';
import { decodeCallSignature } from './thought-signature.ts';

const MOST_MESSAGES = 100_000;

/** The opening instructions and the turns after them. */
interface Conversation {
  system: Block[];
  turns: Turn[];
}

/** Reads `messages`: leading system and developer messages are the instructions, runs of tool messages one user turn. */
export function decodeMessages(value: Members<ChatBody>['messages']): Conversation {
  const messages = requireArray(value, 'messages');
  if (messages.length === 0) return refuse('messages', 'must not be empty');
  if (messages.length > MOST_MESSAGES) return refuse('messages', `at most ${MOST_MESSAGES} are accepted`);
  const reader = new MessageReader();
  messages.forEach((message, at) => {
    const path = `messages[${at}]`;
    reader.read(requireObject(message, path), path);
  });
  return { system: reader.system, turns: reader.turns };
}

class MessageReader {
  readonly system: Block[] = [];
  readonly turns: Turn[] = [];
  /** The open turn of tool results, while tool messages follow one another. */
  #results: Turn | undefined;
  /** Calls of the deprecated `function_call`, which have no ids, by name. */
  #legacyCalls: Map<string, string> | undefined;

  read(message: Members<ChatMessage>, path: string): void {
    const role = message.role;
    if (role !== 'tool' && role !== 'function') this.#results = undefined;
    switch (role) {
      case 'system':
      case 'developer':
        this.#readSystem(message, path);
        break;
      case 'user':
        this.#addTurn(
          'user',
          markLast(decodeContent(message.content, `${path}.content`), message, path),
          message,
        );
        break;
      case 'assistant':
        this.#addTurn('assistant', markLast(this.#readAssistant(message, path), message, path), message);
        break;
      case 'tool':
        this.#addResult(requireText(message.tool_call_id, path, '.tool_call_id'), message, path);
        break;
      case 'function':
        this.#addResult(this.#legacyId(requireText(message.name, path, '.name')), message, path);
        break;
      default:
        refuse(`${path}.role`, 'must be one of developer, system, user, assistant, tool, function');
    }
  }

  #readSystem(message: Members<ChatMessage>, path: string): void {
    const blocks = markLast(decodeTextContent(message.content, `${path}.content`), message, path);
    if (this.turns.length === 0) append(this.system, blocks);
    else this.#addTurn('system', blocks, message);
  }

  #addTurn(role: Turn['role'], blocks: Block[], message: Members<ChatMessage>): void {
    const extra = keepExtra(message);
    this.turns.push(extra ? { role, blocks, extra: { chat: extra } } : { role, blocks });
  }

  #addResult(callId: string, message: Members<ChatMessage>, path: string): void {
    const content = message.content;
    const isEmpty = content === undefined || content === null || content === '';
    const blocks = isEmpty || isEmptyList(content) ? [] : decodeContent(content, `${path}.content`);
    const cache = decodeCacheMark(message, path);
    const result: Block = { type: 'tool-result', callId, blocks, isError: false };
    if (cache) result.cache = cache;
    if (this.#results) {
      this.#results.blocks.push(result);
    } else {
      this.#results = { role: 'user', blocks: [result] };
      this.turns.push(this.#results);
    }
  }

  #readAssistant(message: Members<ChatMessage>, path: string): Block[] {
    const blocks: Block[] = decodeReasoning(message);
    const { content, refusal, images, tool_calls: calls, function_call: legacy } = message;
    if (content !== undefined && content !== null && content !== '' && !isEmptyList(content)) {
      append(blocks, decodeContent(content, `${path}.content`));
    }
    if (typeof refusal === 'string' && refusal !== '') {
      blocks.push({ type: 'text', text: refusal, refusal: true });
    }
    if (Array.isArray(images))
      append(
        blocks,
        images.map(decodeOwnImage).filter((image) => image !== undefined),
      );
    if (isPresent(calls)) addCalls(blocks, requireArray(calls, path, '.tool_calls'), path);
    if (isObject(legacy)) blocks.push(this.#readLegacyCall(legacy, `${path}.function_call`));
    if (blocks.length === 0 && content === '') blocks.push({ type: 'text', text: '' });
    return blocks;
  }

  #readLegacyCall(call: Members<ChatFunctionCalled>, path: string): ToolCallBlock {
    const name = requireText(call.name, path, '.name');
    const id = `call_${this.turns.length}_${name}`;
    (this.#legacyCalls ??= new Map()).set(name, id);
    return {
      type: 'tool-call',
      id,
      name,
      input: { json: readArguments(call.arguments, path, '.arguments') },
    };
  }

  #legacyId(name: string): string {
    return this.#legacyCalls?.get(name) ?? `call_0_${name}`;
  }
}

function isEmptyList(value: JsonValue | undefined): boolean {
  return Array.isArray(value) && value.length === 0;
}

/** A mark on the message itself applies to its last block. */
function markLast<B extends Block>(blocks: B[], message: Members<ChatMessage>, path: string): B[] {
  const mark = decodeCacheMark(message, path);
  const last = blocks.at(-1);
  if (mark && last) last.cache ??= mark;
  return blocks;
}

function addCalls(blocks: Block[], calls: readonly Unchecked<ChatToolCall>[], path: string): void {
  for (const [at, call] of calls.entries()) {
    const signature = isObject(call) ? decodeCallSignature(call) : undefined;
    if (signature) blocks.push(signature);
    blocks.push(decodeToolCall(call, `${path}.tool_calls[${at}]`));
  }
}

function decodeToolCall(value: Unchecked<ChatToolCall>, path: string): ToolCallBlock {
  const call = requireObject(value, path);
  const id = requireText(call.id, path, '.id');
  const cache = decodeCacheMark(call, path);
  const block =
    call.type === 'custom' ? decodeCustomCall(call, id, path) : decodeFunctionCall(call, id, path);
  if (cache) block.cache = cache;
  const echoed = call.extra_content;
  if (isJsonObject(echoed)) block.extra = { chat: { extra_content: echoed } };
  return block;
}

function decodeCustomCall(call: Members<ChatToolCall>, id: string, path: string): ToolCallBlock {
  const custom = requireObject(call.custom, path, '.custom');
  const name = requireText(custom.name, path, '.custom.name');
  const json = requireString(custom.input, path, '.custom.input');
  return { type: 'tool-call', id, name, input: { json }, custom: true };
}

function decodeFunctionCall(call: Members<ChatToolCall>, id: string, path: string): ToolCallBlock {
  const called = requireObject(call.function, path, '.function');
  const name = requireText(called.name, path, '.function.name');
  const json = readArguments(called.arguments, path, '.function.arguments');
  return { type: 'tool-call', id, name, input: { json } };
}

/** Arguments stay text. Clients replay what upstreams sent: empty arguments may be `""`, null or absent. */
function readArguments(value: JsonValue | undefined, path: string, step: string): string {
  if (value === undefined || value === null || value === '') return '{}';
  if (isJsonObject(value)) return JSON.stringify(value);
  return requireString(value, path, step);
}

/** Replayed thinking: our own `reasoning_details` first, else the plain text. */
function decodeReasoning(message: Members<ChatMessage>): ReasoningBlock[] {
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
function keepExtra(message: Members<ChatMessage>): JsonObject | undefined {
  const { name, audio, reasoning_details: details } = message;
  const hasAudio = isJsonObject(audio);
  const hasDetails = Array.isArray(details) && details.length > 0;
  if (typeof name !== 'string' && !hasAudio && !hasDetails) return undefined;
  const extra: Members<ChatMessage> = {};
  if (typeof name === 'string') extra.name = name;
  if (hasAudio) extra.audio = audio;
  if (hasDetails) extra.reasoning_details = details;
  return extra;
}
