import { type JsonObject, type JsonValue, isJsonObject } from '#base';
import type { Extra, GenerationEnd, GenerationEvent, GenerationStart, ToolUse, Usage } from '#canonical';
import type { UpstreamFailure } from '#errors';
import { isBelievable } from '#canonical';
import { ContentReader } from './content-reader.ts';
import { decodeFinish, findFinishFailure } from './finish.ts';
import { decodeOwnImage } from './own-images.ts';
import { decodeReasoningDetail, textOfDetail } from './reasoning-details.ts';
import { ToolCallSlots } from './tool-call-slots.ts';
import { decodeUsage, findUsage, findUsageLeftovers, laterUsage } from './usage.ts';
import { findToolUses } from './tool-uses.ts';
import { mergeExtra } from './answer-extra.ts';
import { BlockQueue } from '../block-queue.ts';
import { listSources } from '../citation.ts';
import { readServedTier } from '../processing-tier.ts';

/** What reading an answer needs from its request. */
export interface AnswerContext {
  /** The provider's model name, used when the answer has none. */
  model: string;
  stopSequences: readonly string[];
  completionExcludesReasoning: boolean;
  restoreName(name: string): string;
}

const CHUNK_FIELDS = new Set([
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
const CHOICE_FIELDS = new Set([
  'index',
  'delta',
  'message',
  'finish_reason',
  'stop_reason',
  'usage',
  '__proto__',
]);
const MESSAGE_FIELDS = new Set([
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
export class AnswerReader {
  readonly #context: AnswerContext;
  readonly #queue = new BlockQueue();
  readonly #content = new ContentReader(this.#queue);
  readonly #top: JsonObject = {};
  readonly #choice: JsonObject = {};
  readonly #message: JsonObject = {};
  /** Created at the first tool call. */
  #slots: ToolCallSlots | undefined;
  #hasStarted = false;
  #hasDelta = false;
  #hasCited = false;
  #finish: string | undefined;
  #matched: string | undefined;
  #usage: Usage | undefined;
  #usageLeftovers: JsonObject | undefined;
  #tools: ToolUse[] | undefined;

  constructor(context: AnswerContext) {
    this.#context = context;
  }

  get hasFinish(): boolean {
    return this.#finish !== undefined;
  }

  /** Reads a chunk; returns the failure that its finish reason reports. */
  read(chunk: JsonObject): UpstreamFailure | undefined {
    mergeExtra(this.#top, chunk, CHUNK_FIELDS);
    this.#readUsage(chunk);
    const choices = chunk['choices'];
    if (!Array.isArray(choices)) return undefined;
    let failure: UpstreamFailure | undefined;
    for (const choice of choices) {
      if (!isJsonObject(choice)) continue;
      if (!this.#hasStarted) this.#start(chunk);
      failure ??= this.#readChoice(choice);
    }
    return failure;
  }

  /** The events since the last call. */
  drain(): GenerationEvent[] {
    return this.#queue.drain();
  }

  /** Adds the remaining events of a complete answer. */
  finish(): void {
    if (!this.#hasStarted) this.#start({});
    if (!this.#hasCited) for (const source of listSources(this.#top)) this.#content.addAnnotation(source);
    this.#slots?.advance(true);
    this.#content.finish();
    const stray = this.#content.strayAnnotations;
    if (stray.length > 0) this.#message['annotations'] = stray.map((annotation) => annotation.value);
    const { hasCalls, hasRefusal } = this.#queue;
    const finish = decodeFinish(this.#finish, { hasCalls, hasRefusal, matched: this.#matched });
    const end: GenerationEnd = { type: 'generation-end', finish };
    if (this.#usage) end.usage = this.#usage;
    const served = readServedTier(this.#top['service_tier']);
    if (served) end.served = served;
    if (this.#tools) end.tools = this.#tools;
    const extra = this.#collectExtra();
    if (extra) end.extra = extra;
    this.#queue.push(end);
  }

  #start(chunk: JsonObject): void {
    this.#hasStarted = true;
    const { id, model } = chunk;
    const start: GenerationStart = {
      type: 'generation-start',
      id: typeof id === 'string' ? id : '',
      model: typeof model === 'string' && model !== '' ? model : this.#context.model,
    };
    const served = readServedTier(this.#top['service_tier']);
    if (served) start.served = served;
    if (!isEmpty(this.#top)) start.extra = { chat: { ...this.#top } };
    this.#queue.push(start);
  }

  #readUsage(chunk: JsonObject): void {
    const found = findUsage(chunk);
    if (found === undefined) return;
    const usage = decodeUsage(found, this.#context.completionExcludesReasoning);
    // Implausible counts also discard those of earlier chunks.
    this.#usage = isBelievable(found) ? laterUsage(this.#usage, usage) : undefined;
    this.#usageLeftovers = findUsageLeftovers(found) ?? this.#usageLeftovers;
    this.#tools = findToolUses(found) ?? this.#tools;
  }

  #readChoice(choice: JsonObject): UpstreamFailure | undefined {
    mergeExtra(this.#choice, choice, CHOICE_FIELDS);
    const { delta, message } = choice;
    if (isJsonObject(delta)) {
      this.#hasDelta = true;
      this.#readMessage(delta);
    } else if (isJsonObject(message) && !this.#hasDelta) {
      this.#readMessage(message);
    }
    this.#readStopReason(choice['stop_reason']);
    const word = choice['finish_reason'];
    if (typeof word !== 'string' || word === '') return undefined;
    // A Copilot answer ends its two choices with different reasons; the later is more precise.
    this.#finish = word;
    return findFinishFailure(word);
  }

  /** vLLM puts the matched sequence here; others put a number or a reason of their own. */
  #readStopReason(value: JsonValue | undefined): void {
    if (typeof value === 'string' && this.#context.stopSequences.includes(value)) this.#matched = value;
  }

  #readMessage(message: JsonObject): void {
    mergeExtra(this.#message, message, MESSAGE_FIELDS);
    this.#readReasoning(message);
    this.#readContent(message['content']);
    if (typeof message['refusal'] === 'string') this.#content.addText('refusal', message['refusal']);
    const { tool_calls: calls, function_call: legacy, annotations, images } = message;
    if (Array.isArray(images)) this.#readImages(images);
    if (Array.isArray(calls)) this.#getSlots().read(calls);
    else if (isJsonObject(legacy)) this.#getSlots().readLegacy(legacy);
    this.#slots?.advance(false);
    if (!Array.isArray(annotations)) return;
    if (annotations.length > 0) this.#hasCited = true;
    for (const value of annotations) {
      if (isJsonObject(value)) this.#content.addAnnotation({ format: 'chat', value });
    }
  }

  #getSlots(): ToolCallSlots {
    return (this.#slots ??= new ToolCallSlots(this.#content, this.#context.restoreName));
  }

  /** Images that cannot be decoded are kept as received. */
  #readImages(images: JsonValue[]): void {
    for (const image of images) {
      const picture = decodeOwnImage(image);
      if (picture) this.#content.addWhole(picture);
      else mergeExtra(this.#message, { images: [image] }, NONE);
    }
  }

  #readReasoning(message: JsonObject): void {
    const { reasoning_content: content, reasoning, reasoning_details: details } = message;
    const plain = typeof content === 'string' && content !== '' ? content : reasoning;
    if (Array.isArray(details) && details.length > 0 && this.#readDetails(details, plain)) return;
    if (typeof plain === 'string') this.#content.addText('reasoning', plain);
  }

  /**
   * Our own entries replace the plain text beside them; an upstream's text is used only when there is no plain text.
   */
  #readDetails(details: JsonValue[], plain: JsonValue | undefined): boolean {
    const own = details.map(decodeReasoningDetail).filter((block) => block !== undefined);
    for (const block of own) {
      if (block.issuer) this.#content.addSigned(block);
      else this.#content.addText('reasoning', block.text);
    }
    if (own.length > 0) {
      delete this.#message['reasoning_details'];
      return true;
    }
    if (typeof plain === 'string' && plain !== '') return false;
    for (const detail of details) this.#content.addText('reasoning', textOfDetail(detail));
    return true;
  }

  #readContent(content: JsonValue | undefined): void {
    if (typeof content === 'string') {
      this.#content.addText('text', content);
    } else if (Array.isArray(content)) {
      for (const part of content) {
        if (typeof part === 'string') this.#content.addText('text', part);
        else if (isJsonObject(part)) this.#readPart(part);
      }
    }
  }

  /** Mistral sends content as parts, with thinking as one of them. */
  #readPart(part: JsonObject): void {
    const { type, text, refusal, thinking } = part;
    if (typeof text === 'string') this.#content.addText(type === 'thinking' ? 'reasoning' : 'text', text);
    else if (typeof refusal === 'string') this.#content.addText('refusal', refusal);
    else if (typeof thinking === 'string') this.#content.addText('reasoning', thinking);
    else if (Array.isArray(thinking)) {
      for (const piece of thinking) this.#content.addText('reasoning', textOfDetail(piece));
    }
  }

  #collectExtra(): Extra | undefined {
    const hasChoice = !isEmpty(this.#choice);
    const hasMessage = !isEmpty(this.#message);
    const usage = this.#usageLeftovers;
    if (!hasChoice && !hasMessage && !usage && isEmpty(this.#top)) return undefined;
    const chat: JsonObject = { ...this.#top, ...(usage && { usage }) };
    if (hasChoice) chat['choice'] = this.#choice;
    if (hasMessage) chat['message'] = this.#message;
    return { chat };
  }
}

function isEmpty(object: JsonObject): boolean {
  for (const _ in object) return false;
  return true;
}
