import { type JsonObject, append, parseExactObject } from '#base';
import type { Block, CacheMark, ToolCallBlock, ToolResultBlock, Turn } from '#canonical';
import { inputJsonOf } from '#canonical';
import { createMissingResult, describeOrphan } from '../describe-result.ts';
import { type Entry, markLast } from './cache-points.ts';
import { addBlocks } from './encode-blocks.ts';
import { type EncodeContext, FILLER } from './encode-context.ts';

/** A message while it is built: the results of tools come before everything else. */
interface Message {
  role: 'user' | 'assistant' | 'system';
  results: Entry[];
  content: Entry[];
}

/** The tool calls of the latest assistant message and the user message that answers them. */
interface Round {
  ids: Map<string, string>;
  results: Map<string, Entry>;
  answer: Message | undefined;
}

/** Brings turns into the order Converse demands: roles in turn, a user first, every call answered once in the next turn. */
export class TurnBuilder {
  readonly #context: EncodeContext;
  readonly #messages: Message[] = [];
  /** How often each id was used. */
  readonly #calls = new Map<string, number>();
  #round: Round = { ids: new Map(), results: new Map(), answer: undefined };

  constructor(context: EncodeContext) {
    this.#context = context;
  }

  add(turn: Turn): void {
    if (turn.role === 'assistant') this.#addAssistant(turn.blocks);
    else if (turn.role === 'system') this.#addSystem(turn.blocks);
    else this.#addUser(turn.blocks);
  }

  /** The finished messages. A closing assistant turn stays where the model may go on from it. */
  finish(mayPrefill: boolean): Message[] {
    this.#closeRound();
    const messages = this.#messages.filter(({ results, content }) => results.length + content.length > 0);
    trimEnd(messages);
    if (messages[0]?.role !== 'user') messages.unshift(say(FILLER));
    if (messages.at(-1)?.role === 'assistant' && !mayPrefill) messages.push(say('Continue.'));
    for (const message of messages) accompanyDocuments(message);
    return messages;
  }

  #addAssistant(blocks: readonly Block[]): void {
    const last = this.#messages.at(-1);
    const isContinued = last?.role === 'assistant' && !this.#round.answer;
    if (!isContinued) this.#startRound();
    const message = isContinued ? last : this.#append('assistant');
    for (const block of blocks) {
      if (block.type !== 'tool-call') {
        this.#addPlain(message, [block]);
        continue;
      }
      message.content.push({ block: { toolUse: this.#encodeCall(block) } });
      this.#mark(block.cache);
    }
  }

  #startRound(): void {
    this.#closeRound();
    this.#round = { ids: new Map(), results: new Map(), answer: undefined };
  }

  #encodeCall(call: ToolCallBlock): JsonObject {
    const id = this.#createId(call.id);
    this.#round.ids.set(call.id, id);
    const input = 'value' in call.input ? call.input.value : (parseExactObject(inputJsonOf(call)) ?? {});
    return { toolUseId: id, name: this.#context.names.encode(call.name), input };
  }

  /** Some clients use the same ids again in every turn; each call needs one of its own. */
  #createId(id: string): string {
    const count = (this.#calls.get(id) ?? 0) + 1;
    this.#calls.set(id, count);
    return this.#context.ids.encode(count === 1 ? id : `${id} ${count}`);
  }

  #addSystem(blocks: readonly Block[]): void {
    if (this.#context.target.dialect.midSystem === 'as-user') {
      this.#addPlain(this.#getUserMessage(), blocks);
      return;
    }
    this.#openAnswer();
    const last = this.#messages.at(-1);
    this.#addPlain(last?.role === 'system' ? last : this.#append('system'), blocks);
  }

  #addUser(blocks: readonly Block[]): void {
    const plain: Block[] = [];
    for (const block of blocks) {
      if (block.type !== 'tool-result') plain.push(block);
      else if (this.#round.ids.has(block.callId)) this.#addResult(block);
      else plain.push({ type: 'text', text: describeOrphan(block) });
    }
    if (plain.length > 0) this.#addPlain(this.#getUserMessage(), plain);
  }

  #addPlain(message: Message, blocks: readonly Block[]): void {
    this.#mark(addBlocks(message.content, blocks, this.#context));
  }

  /** A second result of one call is joined to the first: a call has exactly one. */
  #addResult(block: ToolResultBlock): void {
    const answer = this.#openAnswer();
    const inner: Entry[] = [];
    addBlocks(inner, block.blocks, this.#context);
    const content = inner.map((entry) => entry.block);
    const before = this.#round.results.get(block.callId);
    if (before) {
      const result = before.block['toolResult'] as JsonObject;
      append(result['content'] as JsonObject[], content);
      if (block.isError) result['status'] = 'error';
    } else {
      this.#answer(answer, block.callId, {
        content: content.length > 0 ? content : [{ text: FILLER }],
        ...(block.isError && { status: 'error' }),
      });
    }
    const cache = block.cache ?? inner.find(({ mark }) => mark)?.mark;
    const entry = this.#round.results.get(block.callId);
    if (cache && entry && this.#marks) entry.mark = cache;
  }

  #answer(message: Message | undefined, callId: string, result: JsonObject): void {
    const entry = { block: { toolResult: { toolUseId: this.#round.ids.get(callId) ?? callId, ...result } } };
    message?.results.push(entry);
    this.#round.results.set(callId, entry);
  }

  get #marks(): boolean {
    return this.#context.target.dialect.cacheMarks === 'cachePoint';
  }

  /** Marks the last thing said so far, in this message or an earlier one. */
  #mark(mark: CacheMark | undefined): void {
    if (!mark) return;
    for (let at = this.#messages.length - 1; at >= 0; at -= 1) {
      const { results = [], content = [] } = this.#messages[at] ?? {};
      if (markLast([...results, ...content], mark)) return;
    }
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
    for (const callId of this.#round.ids.keys()) {
      if (!this.#round.results.has(callId)) this.#addResult(createMissingResult(callId));
    }
  }

  #append(role: Message['role']): Message {
    const message: Message = { role, results: [], content: [] };
    this.#messages.push(message);
    return message;
  }
}

function say(text: string): Message {
  return { role: 'user', results: [], content: [{ block: { text } }] };
}

/** Claude refuses a final assistant text that ends in white space. */
function trimEnd(messages: readonly Message[]): void {
  const last = messages.at(-1);
  const entry = last?.content.at(-1);
  if (last?.role !== 'assistant' || typeof entry?.block['text'] !== 'string') return;
  entry.block = { text: entry.block['text'].trimEnd() };
}

/** Converse wants a text beside every document. */
function accompanyDocuments({ content }: Message): void {
  const hasDocument = content.some(({ block }) => block['document'] !== undefined);
  const hasText = content.some(({ block }) => block['text'] !== undefined);
  if (hasDocument && !hasText) content.push({ block: { text: FILLER } });
}
