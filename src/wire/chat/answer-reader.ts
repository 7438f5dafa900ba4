import { type JsonObject, type JsonValue, isJsonObject } from '#base';
import type { Extra, GenerationEnd, GenerationEvent, GenerationStart, ToolUse, Usage } from '#canonical';
import type { UpstreamFailure } from '#errors';
import { isBelievable } from '#canonical';
import { BlockLanes } from './block-lanes.ts';
import { decodeFinish, findFinishFailure } from './finish.ts';
import { decodeOwnImage } from './own-images.ts';
import { decodeReasoningDetail, textOfDetail } from './reasoning-details.ts';
import { ToolCallSlots } from './tool-call-slots.ts';
import { decodeUsage, findUsage, findUsageLeftovers, laterUsage } from './usage.ts';
import { findToolUses } from './tool-uses.ts';
import { mergeExtra } from './answer-extra.ts';
import { listSources } from '../citation.ts';
import { readServedTier } from '../processing-tier.ts';

/** What must be remembered of a request to read its answer. */
export interface AnswerContext {
  /** The provider's name for the model, where the answer tells none. */
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

/** Reads chunks of an answer, or a whole answer as its only chunk, into events. All choices are one answer: `n` is never asked. */
export class AnswerReader {
  readonly #context: AnswerContext;
  readonly #lanes: BlockLanes;
  readonly #top: JsonObject = {};
  readonly #choice: JsonObject = {};
  readonly #message: JsonObject = {};
  /** Only answers that call tools have it. */
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
    this.#lanes = new BlockLanes(context.restoreName);
  }

  get hasStarted(): boolean {
    return this.#hasStarted;
  }

  get hasFinish(): boolean {
    return this.#finish !== undefined;
  }

  /** Adds the events of a chunk; gives the failure that a finish reason may stand for. */
  read(chunk: JsonObject, events: GenerationEvent[]): UpstreamFailure | undefined {
    mergeExtra(this.#top, chunk, CHUNK_FIELDS);
    this.#readUsage(chunk);
    const choices = chunk['choices'];
    if (!Array.isArray(choices)) return undefined;
    let failure: UpstreamFailure | undefined;
    for (const choice of choices) {
      if (!isJsonObject(choice)) continue;
      if (!this.#hasStarted) this.#start(chunk, events);
      failure ??= this.#readChoice(choice, events);
    }
    return failure;
  }

  /** The remaining events of a complete answer. */
  finish(events: GenerationEvent[]): void {
    if (!this.#hasStarted) this.#start({}, events);
    if (!this.#hasCited)
      for (const source of listSources(this.#top)) this.#lanes.addAnnotation(source, events);
    this.#lanes.finish(events);
    const stray = this.#lanes.strayAnnotations;
    if (stray.length > 0) this.#message['annotations'] = stray.map((annotation) => annotation.value);
    const { hasCalls, hasRefusal } = this.#lanes;
    const finish = decodeFinish(this.#finish, { hasCalls, hasRefusal, matched: this.#matched });
    const end: GenerationEnd = { type: 'generation-end', finish };
    if (this.#usage) end.usage = this.#usage;
    const served = readServedTier(this.#top['service_tier']);
    if (served) end.served = served;
    if (this.#tools) end.tools = this.#tools;
    const extra = this.#collectExtra();
    if (extra) end.extra = extra;
    events.push(end);
  }

  #start(chunk: JsonObject, events: GenerationEvent[]): void {
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
    events.push(start);
  }

  #readUsage(chunk: JsonObject): void {
    const found = findUsage(chunk);
    if (found === undefined) return;
    const usage = decodeUsage(found, this.#context.completionExcludesReasoning);
    // Counts that cannot be so leave nothing of those before them: they were told on the way.
    this.#usage = isBelievable(found) ? laterUsage(this.#usage, usage) : undefined;
    this.#usageLeftovers = findUsageLeftovers(found) ?? this.#usageLeftovers;
    this.#tools = findToolUses(found) ?? this.#tools;
  }

  #readChoice(choice: JsonObject, events: GenerationEvent[]): UpstreamFailure | undefined {
    mergeExtra(this.#choice, choice, CHOICE_FIELDS);
    const { delta, message } = choice;
    if (isJsonObject(delta)) {
      this.#hasDelta = true;
      this.#readMessage(delta, events);
    } else if (isJsonObject(message) && !this.#hasDelta) {
      this.#readMessage(message, events);
    }
    this.#readStopReason(choice['stop_reason']);
    const word = choice['finish_reason'];
    if (typeof word !== 'string' || word === '') return undefined;
    // A Copilot answer ends its two choices with different words; the later says more.
    this.#finish = word;
    return findFinishFailure(word);
  }

  /** vLLM puts the matched sequence here, others a number or a word of their own. */
  #readStopReason(value: JsonValue | undefined): void {
    if (typeof value === 'string' && this.#context.stopSequences.includes(value)) this.#matched = value;
  }

  #readMessage(message: JsonObject, events: GenerationEvent[]): void {
    mergeExtra(this.#message, message, MESSAGE_FIELDS);
    this.#readReasoning(message, events);
    this.#readContent(message['content'], events);
    if (typeof message['refusal'] === 'string') this.#lanes.addText('refusal', message['refusal'], events);
    const { tool_calls: calls, function_call: legacy, annotations, images } = message;
    if (Array.isArray(images)) this.#readImages(images, events);
    if (Array.isArray(calls)) this.#getSlots().read(calls, events);
    else if (isJsonObject(legacy)) this.#getSlots().readLegacy(legacy, events);
    if (!Array.isArray(annotations)) return;
    if (annotations.length > 0) this.#hasCited = true;
    for (const value of annotations) {
      if (isJsonObject(value)) this.#lanes.addAnnotation({ format: 'chat', value }, events);
    }
  }

  #getSlots(): ToolCallSlots {
    return (this.#slots ??= new ToolCallSlots(this.#lanes));
  }

  /** What cannot be read as a picture is kept as it came. */
  #readImages(images: JsonValue[], events: GenerationEvent[]): void {
    for (const image of images) {
      const picture = decodeOwnImage(image);
      if (picture) this.#lanes.addWhole(picture, events);
      else mergeExtra(this.#message, { images: [image] }, NONE);
    }
  }

  #readReasoning(message: JsonObject, events: GenerationEvent[]): void {
    const { reasoning_content: content, reasoning, reasoning_details: details } = message;
    const plain = typeof content === 'string' && content !== '' ? content : reasoning;
    if (Array.isArray(details) && details.length > 0 && this.#readDetails(details, plain, events)) return;
    if (typeof plain === 'string') this.#lanes.addText('reasoning', plain, events);
  }

  /** Our own entries replace the plain text beside them; an upstream's give theirs only where there is none. */
  #readDetails(details: JsonValue[], plain: JsonValue | undefined, events: GenerationEvent[]): boolean {
    const own = details.map(decodeReasoningDetail).filter((block) => block !== undefined);
    for (const block of own) {
      if (block.issuer) this.#lanes.addSigned(block, events);
      else this.#lanes.addText('reasoning', block.text, events);
    }
    if (own.length > 0) {
      delete this.#message['reasoning_details'];
      return true;
    }
    if (typeof plain === 'string' && plain !== '') return false;
    for (const detail of details) this.#lanes.addText('reasoning', textOfDetail(detail), events);
    return true;
  }

  #readContent(content: JsonValue | undefined, events: GenerationEvent[]): void {
    if (typeof content === 'string') {
      this.#lanes.addText('text', content, events);
    } else if (Array.isArray(content)) {
      for (const part of content) {
        if (typeof part === 'string') this.#lanes.addText('text', part, events);
        else if (isJsonObject(part)) this.#readPart(part, events);
      }
    }
  }

  /** Mistral sends content in parts, its thinking as one of them. */
  #readPart(part: JsonObject, events: GenerationEvent[]): void {
    const { type, text, refusal, thinking } = part;
    if (typeof text === 'string')
      this.#lanes.addText(type === 'thinking' ? 'reasoning' : 'text', text, events);
    else if (typeof refusal === 'string') this.#lanes.addText('refusal', refusal, events);
    else if (typeof thinking === 'string') this.#lanes.addText('reasoning', thinking, events);
    else if (Array.isArray(thinking)) {
      for (const piece of thinking) this.#lanes.addText('reasoning', textOfDetail(piece), events);
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
