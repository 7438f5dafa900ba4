import type { JsonObject } from '#base';
import type {
  Extra,
  GenerationEnd,
  GenerationEvent,
  GenerationResult,
  GenerationStart,
  PriceOptions,
  ToolUse,
  Usage,
} from '#canonical';
import type { UpstreamFailure } from '#errors';
import { isBelievable, laterUsage } from '#canonical';
import { ContentReader } from './content-reader.ts';
import { decodeFinish, findFinishFailure } from './finish.ts';
import { decodeOwnImage } from './own-images.ts';
import { decodeReasoningDetail, textOfDetail } from '../reasoning-details.ts';
import { ToolCallSlots } from './tool-call-slots.ts';
import { decodeUsage, findUsage, findUsageLeftovers, readCacheType } from './usage.ts';
import { findToolUses } from './tool-uses.ts';
import { mergeExtra } from './answer-extra.ts';
import type {
  ChatAnswer,
  ChatAnswerMessage,
  ChatChoice,
  KeptAnswer,
  ReadAnswer,
  ReadChoice,
  ReadMessage,
  ReadPart,
} from './answer-schema.ts';
import { type AnswerReader, collectAnswer } from '../../answer/answer-decoder.ts';
import { BlockQueue } from '../../answer/block-queue.ts';
import { listSources } from '../../answer/citation.ts';
import { createGarbled, describeValue, findFailure } from '../../errors/openai-error.ts';
import { isArray, isObject, itemsOf } from '../../body/read-field.ts';
import type { ItemOf } from '../../body/unchecked.ts';
import { readServedTier } from '../../request/processing-tier.ts';
import type { AnswerNames } from '../../tools/tool-names.ts';

/** What reading an answer needs from its request. */
export interface AnswerContext {
  /** The provider's model name, used when the answer has none. */
  model: string;
  stopSequences: readonly string[];
  completionExcludesReasoning: boolean;
  names: AnswerNames;
}

const CHUNK_FIELDS = new Set<keyof ChatAnswer | keyof KeptAnswer | 'obfuscation' | '__proto__'>([
  'id',
  'object',
  'created',
  'model',
  'choices',
  'usage',
  'obfuscation',
  'choice',
  'message',
  '__proto__',
]);
const CHOICE_FIELDS = new Set<keyof ChatChoice | keyof ReadChoice | '__proto__'>([
  'index',
  'delta',
  'message',
  'finish_reason',
  'stop_reason',
  'usage',
  '__proto__',
]);
const MESSAGE_FIELDS = new Set<keyof ChatAnswerMessage | keyof ReadMessage | 'index' | '__proto__'>([
  'role',
  'content',
  'refusal',
  'reasoning_content',
  'reasoning',
  'tool_calls',
  'function_call',
  'annotations',
  'images',
  'index',
  '__proto__',
]);

const NONE: ReadonlySet<string> = new Set();

/**
 * Decodes the chunks of an answer, or a complete answer as one chunk, into events. Expects one choice: `n` is never
 * sent upstream.
 */
export class ChatAnswerReader implements AnswerReader {
  readonly #context: AnswerContext;
  readonly #queue = new BlockQueue();
  readonly #content = new ContentReader(this.#queue);
  readonly #top: ReadAnswer = {};
  readonly #choice: ReadChoice = {};
  readonly #message: ReadMessage = {};
  /** Created at the first tool call. */
  #slots: ToolCallSlots | undefined;
  #hasStarted = false;
  #hasDelta = false;
  #hasCited = false;
  #finish: string | undefined;
  #matched: string | undefined;
  #usage: Usage | undefined;
  #usageLeftovers: JsonObject | undefined;
  #cacheType: PriceOptions | undefined;
  #tools: ToolUse[] | undefined;

  constructor(context: AnswerContext) {
    this.#context = context;
  }

  get hasFinish(): boolean {
    return this.#finish !== undefined;
  }

  /** Reads a chunk; returns the failure that it or its finish reason reports. */
  read(chunk: ReadAnswer, name?: string): UpstreamFailure | undefined {
    const error = findFailure(chunk, name === 'error');
    if (error) return error;
    mergeExtra(this.#top, chunk, CHUNK_FIELDS);
    this.#readUsage(chunk);
    let failure: UpstreamFailure | undefined;
    for (const choice of itemsOf(chunk.choices)) {
      if (!isObject(choice)) continue;
      if (!this.#hasStarted) this.#start(chunk);
      failure ??= this.#readChoice(choice);
    }
    return failure;
  }

  /** A whole answer is read as the only chunk. */
  readWhole(answer: ReadAnswer): GenerationResult | UpstreamFailure {
    const failure = this.read(answer);
    if (failure) return failure;
    return this.#hasStarted ? collectAnswer(this) : createGarbled(describeValue(answer));
  }

  /** The events since the last call. */
  drain(): GenerationEvent[] {
    return this.#queue.drain();
  }

  /** Adds the remaining events of a complete answer. */
  finish(): void {
    if (!this.#hasCited) for (const source of listSources(this.#top)) this.#content.addAnnotation(source);
    this.#slots?.advance(true);
    this.#content.finish();
    const stray = this.#content.strayAnnotations;
    if (stray.length > 0) this.#message.annotations = stray.map((annotation) => annotation.value);
    const { hasCalls, hasRefusal } = this.#queue;
    const finish = decodeFinish(this.#finish, { hasCalls, hasRefusal, matched: this.#matched });
    const end: GenerationEnd = { type: 'generation-end', finish };
    if (this.#usage) end.usage = this.#usage;
    const served = { ...readServedTier(this.#top.service_tier), ...this.#cacheType };
    if (!isEmpty(served)) end.served = served;
    if (this.#tools) end.tools = this.#tools;
    const extra = this.#collectExtra();
    if (extra) end.extra = extra;
    this.#queue.push(end);
  }

  #start(chunk: ReadAnswer): void {
    this.#hasStarted = true;
    const { id, model } = chunk;
    const start: GenerationStart = {
      type: 'generation-start',
      id: typeof id === 'string' ? id : '',
      model: typeof model === 'string' && model !== '' ? model : this.#context.model,
    };
    const served = readServedTier(this.#top.service_tier);
    if (served) start.served = served;
    if (!isEmpty(this.#top)) start.extra = { chat: { ...this.#top } };
    this.#queue.push(start);
  }

  #readUsage(chunk: ReadAnswer): void {
    const found = findUsage(chunk);
    if (found === undefined) return;
    const usage = decodeUsage(found, this.#context.completionExcludesReasoning);
    // Implausible counts also discard those of earlier chunks.
    this.#usage = isBelievable(found) ? laterUsage(this.#usage, usage) : undefined;
    this.#usageLeftovers = findUsageLeftovers(found) ?? this.#usageLeftovers;
    this.#cacheType = readCacheType(found) ?? this.#cacheType;
    this.#tools = findToolUses(found) ?? this.#tools;
  }

  #readChoice(choice: ReadChoice): UpstreamFailure | undefined {
    mergeExtra(this.#choice, choice, CHOICE_FIELDS);
    const { delta, message, finish_reason: word } = choice;
    if (isObject(delta)) {
      this.#hasDelta = true;
      this.#readMessage(delta);
    } else if (isObject(message) && !this.#hasDelta) {
      this.#readMessage(message);
    }
    this.#readStopReason(choice.stop_reason);
    if (typeof word !== 'string' || word === '') return undefined;
    // A Copilot answer ends its two choices with different reasons; the later is more precise.
    this.#finish = word;
    return findFinishFailure(word);
  }

  /** vLLM puts the matched sequence here; others put a number or a reason of their own. */
  #readStopReason(value: ReadChoice['stop_reason']): void {
    if (typeof value === 'string' && this.#context.stopSequences.includes(value)) this.#matched = value;
  }

  #readMessage(message: ReadMessage): void {
    mergeExtra(this.#message, message, MESSAGE_FIELDS);
    this.#readReasoning(message);
    this.#readContent(message.content);
    const { refusal, tool_calls: calls, function_call: legacy } = message;
    if (typeof refusal === 'string') this.#content.addText('refusal', refusal);
    for (const image of itemsOf(message.images)) this.#readImage(image);
    if (isArray(calls)) this.#getSlots().read(calls);
    else if (isObject(legacy)) this.#getSlots().readLegacy(legacy);
    this.#slots?.advance(false);
    for (const value of itemsOf(message.annotations)) {
      this.#hasCited = true;
      if (isObject(value)) this.#content.addAnnotation({ format: 'chat', value });
    }
  }

  #getSlots(): ToolCallSlots {
    return (this.#slots ??= new ToolCallSlots(this.#content, this.#context.names));
  }

  /** An image that cannot be decoded is kept as received. */
  #readImage(image: ItemOf<ReadMessage['images']>): void {
    const block = decodeOwnImage(image);
    if (block) this.#content.addWhole(block);
    else mergeExtra(this.#message, { images: [image] }, NONE);
  }

  #readReasoning(message: ReadMessage): void {
    const { reasoning_content: content, reasoning, reasoning_details: details } = message;
    if (this.#readOwnDetails(itemsOf(details))) return;
    const plain = typeof content === 'string' && content !== '' ? content : reasoning;
    if (typeof plain === 'string' && plain !== '') this.#content.addText('reasoning', plain);
    else for (const detail of itemsOf(details)) this.#content.addText('reasoning', textOfDetail(detail));
  }

  /** Our own entries replace the plain text alongside them; returns whether there are any. */
  #readOwnDetails(details: readonly ItemOf<ReadMessage['reasoning_details']>[]): boolean {
    const own = details.map(decodeReasoningDetail).filter((block) => block !== undefined);
    for (const block of own) {
      if (block.issuer) this.#content.addSigned(block);
      else this.#content.addText('reasoning', block.text);
    }
    if (own.length > 0) delete this.#message.reasoning_details;
    return own.length > 0;
  }

  #readContent(content: ReadMessage['content']): void {
    if (typeof content === 'string') {
      this.#content.addText('text', content);
      return;
    }
    for (const part of itemsOf(content)) {
      if (typeof part === 'string') this.#content.addText('text', part);
      else if (isObject(part)) this.#readPart(part);
    }
  }

  /** Mistral sends content as parts, with thinking as one of them. */
  #readPart(part: ReadPart): void {
    const { type, text, refusal, thinking } = part;
    if (typeof text === 'string') this.#content.addText(type === 'thinking' ? 'reasoning' : 'text', text);
    else if (typeof refusal === 'string') this.#content.addText('refusal', refusal);
    else if (typeof thinking === 'string') this.#content.addText('reasoning', thinking);
    else for (const piece of itemsOf(thinking)) this.#content.addText('reasoning', textOfDetail(piece));
  }

  #collectExtra(): Extra | undefined {
    const hasChoice = !isEmpty(this.#choice);
    const hasMessage = !isEmpty(this.#message);
    const usage = this.#usageLeftovers;
    if (!hasChoice && !hasMessage && !usage && isEmpty(this.#top)) return undefined;
    const chat: KeptAnswer = { ...this.#top };
    if (usage) chat.usage = usage;
    if (hasChoice) chat.choice = this.#choice;
    if (hasMessage) chat.message = this.#message;
    return { chat };
  }
}

function isEmpty(object: JsonObject): boolean {
  for (const _ in object) return false;
  return true;
}
