import { type JsonObject, append } from '#base';
import type { Block, Target, ToolCallBlock, ToolResultBlock, Turn } from '#canonical';
import { encodeBlocks, encodeCacheMark, encodeToolInput } from './encode-blocks.ts';
import { DistinctNames } from '../distinct-names.ts';
import type { ToolNames } from '../tool-names.ts';
import { toFittingToolId } from './tool-id.ts';

interface Message {
  role: 'user' | 'assistant' | 'system';
  content: JsonObject[];
}

/** The tool calls of the latest assistant message and the user message that answers them. */
interface Round {
  ids: Map<string, string>;
  results: Map<string, JsonObject>;
  answer: Message | undefined;
}

const NO_RESULT = 'The tool call was interrupted and has no result.';
const FILLER = '…';

/**
 * Brings the turns of another format into the order Anthropic demands: same-role turns merged, the results of all calls
 * first in the next user turn, each call with exactly one result, a user turn first.
 */
export class TurnBuilder {
  readonly #target: Target;
  readonly #names: ToolNames;
  readonly #messages: Message[] = [];
  readonly #ids = new DistinctNames({ separator: '_' });
  #round: Round = { ids: new Map(), results: new Map(), answer: undefined };

  constructor(target: Target, names: ToolNames) {
    this.#target = target;
    this.#names = names;
  }

  add(turn: Turn): void {
    if (turn.role === 'assistant') this.#addAssistant(turn.blocks);
    else if (turn.role === 'system') this.#addSystem(turn.blocks);
    else this.#addUser(turn.blocks);
  }

  /** The finished messages. A closing assistant turn stays where the model may go on from it. */
  finish(mayPrefill: boolean): JsonObject[] {
    this.#closeRound();
    const messages = this.#messages.filter((message) => message.content.length > 0);
    trimEnd(messages);
    if (messages[0]?.role !== 'user') messages.unshift(say(FILLER));
    if (messages.at(-1)?.role === 'assistant' && !mayPrefill) messages.push(say('Continue.'));
    return messages.map(({ role, content }) => ({ role, content }));
  }

  #addAssistant(blocks: readonly Block[]): void {
    const last = this.#messages.at(-1);
    const isContinued = last?.role === 'assistant' && !this.#round.answer;
    if (!isContinued) this.#startRound();
    const message = isContinued ? last : this.#append('assistant');
    let plain: Block[] = [];
    for (const block of blocks) {
      if (block.type !== 'tool-call') {
        plain.push(block);
        continue;
      }
      append(message.content, encodeBlocks(plain, this.#target));
      message.content.push(this.#encodeCall(block));
      plain = [];
    }
    append(message.content, encodeBlocks(plain, this.#target));
  }

  #startRound(): void {
    this.#closeRound();
    this.#round = { ids: new Map(), results: new Map(), answer: undefined };
  }

  #encodeCall(call: ToolCallBlock): JsonObject {
    const id = this.#createId(call.id);
    this.#round.ids.set(call.id, id);
    const encoded: JsonObject = {
      type: 'tool_use',
      id,
      name: this.#names.encode(call.name),
      input: encodeToolInput(call),
    };
    if (call.cache && this.#marks) encoded['cache_control'] = encodeCacheMark(call.cache);
    return encoded;
  }

  /** Some clients use the same ids again in every turn; Anthropic wants each but once. */
  #createId(id: string): string {
    const { maxLength } = this.#target.dialect.toolCallId;
    return this.#ids.create(toFittingToolId(id === '' ? 'call' : id, maxLength));
  }

  #addSystem(blocks: readonly Block[]): void {
    const content = encodeBlocks(blocks, this.#target);
    if (content.length === 0) return;
    if (this.#target.dialect.midSystem === 'as-user') {
      append(this.#getUserMessage().content, content);
      return;
    }
    this.#openAnswer();
    const last = this.#messages.at(-1);
    append((last?.role === 'system' ? last : this.#append('system')).content, content);
  }

  #addUser(blocks: readonly Block[]): void {
    const plain: Block[] = [];
    for (const block of blocks) {
      if (block.type !== 'tool-result') {
        plain.push(block);
      } else if (this.#round.ids.has(block.callId)) {
        this.#addResult(block);
      } else {
        plain.push({ type: 'text', text: `Result of the tool call ${block.callId}:` }, ...block.blocks);
      }
    }
    const content = encodeBlocks(plain, this.#target);
    if (content.length > 0) append(this.#getUserMessage().content, content);
  }

  /** A second result of one call is joined to the first: Anthropic refuses two. */
  #addResult(block: ToolResultBlock): void {
    const answer = this.#openAnswer();
    const content = encodeBlocks(block.blocks, this.#target);
    const before = this.#round.results.get(block.callId);
    const known = before?.['content'];
    const result: JsonObject = before ?? {
      type: 'tool_result',
      tool_use_id: this.#round.ids.get(block.callId) ?? block.callId,
    };
    if (Array.isArray(known)) append(known, content);
    else if (content.length > 0) result['content'] = content;
    if (block.isError) result['is_error'] = true;
    if (block.cache && this.#marks) result['cache_control'] = encodeCacheMark(block.cache);
    if (before) return;
    answer?.content.splice(this.#round.results.size, 0, result);
    this.#round.results.set(block.callId, result);
  }

  get #marks(): boolean {
    return this.#target.dialect.cacheMarks === 'cache_control';
  }

  /** The user message right after open tool calls, kept free for their results. */
  #openAnswer(): Message | undefined {
    if (this.#round.ids.size === 0) return undefined;
    this.#round.answer ??= this.#append('user');
    return this.#round.answer;
  }

  #getUserMessage(): Message {
    this.#openAnswer();
    const last = this.#messages.at(-1);
    return last?.role === 'user' ? last : this.#append('user');
  }

  #closeRound(): void {
    const answer = this.#openAnswer();
    for (const [callId, id] of this.#round.ids) {
      if (this.#round.results.has(callId)) continue;
      const content = [{ type: 'text', text: NO_RESULT }];
      const result = { type: 'tool_result', tool_use_id: id, content, is_error: true };
      answer?.content.splice(this.#round.results.size, 0, result);
      this.#round.results.set(callId, result);
    }
  }

  #append(role: Message['role']): Message {
    const message: Message = { role, content: [] };
    this.#messages.push(message);
    return message;
  }
}

function say(text: string): Message {
  return { role: 'user', content: [{ type: 'text', text }] };
}

/** Anthropic refuses a final assistant text that ends in white space. */
function trimEnd(messages: Message[]): void {
  const last = messages.at(-1);
  const block = last?.content.at(-1);
  if (last?.role !== 'assistant' || typeof block?.['text'] !== 'string') return;
  block['text'] = block['text'].trimEnd();
}
