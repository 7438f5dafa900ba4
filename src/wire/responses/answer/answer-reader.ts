import type { JsonValue } from '#base';
import type { UpstreamFailure } from '#errors';
import {
  type Block,
  type Extra,
  type Finish,
  type GenerationEvent,
  type GenerationResult,
  ToolTally,
} from '#canonical';
import { tallyItem } from '../../tools/tool-uses.ts';
import { type AnswerReader, type Reading, collectAnswer } from '../../answer/answer-decoder.ts';
import { type BlockLane, BlockQueue } from '../../answer/block-queue.ts';
import { createGarbled, describeValue, findFailure } from '../../errors/openai-error.ts';
import { ResponsesCallReader } from './call-reader.ts';
import { type AnswerContext, type OutputItemReader, createWholeReader } from './item-reader.ts';
import { canRelay, createRelay, describeEnd, findResponseLeftovers } from './item-relay.ts';
import { findAnswerFailure, findEventFailure } from './failure.ts';
import { isArray, isObject, itemsOf } from '../../body/read-field.ts';
import type {
  AnswerItem,
  ReadAnswer,
  ReadEvent,
  ResponsesEventType,
  ResponsesItemType,
} from './answer-schema.ts';
import { objectOf, textOf } from '../../body/read-answer.ts';
import { completeArguments, completeCall } from './complete-call.ts';
import { MessageReader } from './message-reader.ts';
import { completeCitation } from './complete-citation.ts';
import { decodeOwnImage } from './own-image.ts';
import { ReasoningReader } from './reasoning-reader.ts';
import { overlayToolUsage } from './tool-uses.ts';
import { decodeUsage } from './usage.ts';
import { readServedTier } from '../../request/processing-tier.ts';

/** The kind of item an event belongs to, for items that were never announced. */
const KINDS: readonly [prefix: string, type: ResponsesItemType][] = [
  ['response.output_text.', 'message'],
  ['response.refusal.', 'message'],
  ['response.content_part.', 'message'],
  ['response.reasoning_', 'reasoning'],
  ['response.function_call_arguments.', 'function_call'],
  ['response.custom_tool_call_input.', 'custom_tool_call'],
];

const REASONS: ReadonlyMap<unknown, Finish['reason']> = new Map<unknown, Finish['reason']>([
  ['max_output_tokens', 'length'],
  ['max_tokens', 'length'],
  ['content_filter', 'content-filter'],
]);

interface OpenItem {
  reader: OutputItemReader;
  lane: BlockLane;
  hasBegun: boolean;
  isEnded: boolean;
}

/** Reads the events of an answer, or a whole answer, into neutral events. */
export class ResponsesAnswerReader implements AnswerReader {
  readonly #context: AnswerContext;
  readonly #queue = new BlockQueue();
  readonly #items = new Map<JsonValue, OpenItem>();
  readonly #all: OpenItem[] = [];
  /** The answer's metadata before any content, and its last state. */
  #response: ReadAnswer = {};
  #final: ReadAnswer | undefined;
  #hasStarted = false;
  readonly #tally = new ToolTally();

  constructor(context: AnswerContext) {
    this.#context = context;
  }

  get hasFinish(): boolean {
    return this.#final !== undefined;
  }

  read(event: ReadEvent, name: string | undefined, data: string): Reading {
    const given = typeof event.type === 'string' ? event.type : (name ?? '');
    const type = given as ResponsesEventType;
    const { response } = event;
    switch (type) {
      case 'response.created':
      case 'response.in_progress':
      case 'response.queued':
        if (isObject(response) && !this.#hasStarted) this.#response = { ...this.#response, ...response };
        return undefined;
      case 'response.completed':
      case 'response.incomplete':
      case 'response.failed':
      case 'response.cancelled':
        return this.#end({ ...objectOf(response), status: type.slice('response.'.length) }) ?? 'end';
      case 'error':
        return findEventFailure(event);
      default:
        if (!type.startsWith('response.') && event.error) return findEventFailure(event);
        this.#readItemEvent(type, event, data);
        return undefined;
    }
  }

  /** A whole answer is read as the last event of a stream. */
  readWhole(answer: ReadAnswer): GenerationResult | UpstreamFailure {
    if (!isArray(answer.output)) return findFailure(answer) ?? createGarbled(describeValue(answer));
    return this.#end(answer) ?? collectAnswer(this);
  }

  #end(response: ReadAnswer): UpstreamFailure | undefined {
    const failure = findAnswerFailure(response);
    if (!failure) this.#final = response;
    return failure;
  }

  #readItemEvent(type: ResponsesEventType, event: ReadEvent, data: string): void {
    const { item } = event;
    if (type === 'response.output_item.added') {
      if (isObject(item)) this.#announceItem(event, item);
    } else if (type === 'response.output_item.done') {
      if (isObject(item)) this.#endItem(keyOf(event), item, event);
    } else {
      const open = this.#getItem(type, event);
      if (open ? open.lane.isRelayed : this.#isAboutNoItem(event)) {
        const whole = open ? completeEvent(event, type, open.reader) : event;
        this.#relay(whole, type, whole === event ? data : undefined);
      }
      open?.reader.read(type, event);
    }
  }

  /** Unknown events about the whole answer. */
  #isAboutNoItem(event: ReadEvent): boolean {
    return this.#context.relays && this.#hasStarted && event.output_index === undefined;
  }

  #relay(event: ReadEvent, type: ResponsesEventType, data?: string): void {
    const relay = createRelay(event, type, this.#context);
    if (data !== undefined && relay.value === event && event.annotation === undefined)
      relay.data = data.trim();
    this.#queue.push(relay);
  }

  /** Adds the remaining events of a complete answer, among them those of items that no event sent. */
  finish(): void {
    const response = this.#final ?? {};
    this.#begin(response);
    const output = this.#completeCalls(response);
    this.#catchUp(output);
    for (const open of this.#all) if (!open.isEnded) open.reader.abandon();
    const extra = this.#findExtra({ ...response, output });
    const served = readServedTier(response.service_tier);
    overlayToolUsage(this.#tally, response);
    const tools = this.#tally.uses;
    const searches = tools?.find(({ tool }) => tool === 'web_search')?.count ?? 0;
    const usage = decodeUsage(response.usage, searches);
    this.#queue.push({
      type: 'generation-end',
      finish: this.#decodeFinish(response),
      ...(usage && { usage }),
      ...(served && { served }),
      ...(tools && { tools }),
      ...(extra && { extra }),
    });
  }

  #findExtra(response: ReadAnswer): Extra | undefined {
    if (this.#context.relays) return { responses: describeEnd(response, this.#context) };
    const tier = response.service_tier;
    return typeof tier === 'string' ? { responses: { service_tier: tier } } : undefined;
  }

  /** The events since the last call. */
  drain(): GenerationEvent[] {
    return this.#queue.drain();
  }

  /** The start waits for the first item, so that an earlier error can still be retried elsewhere. */
  #begin(response: ReadAnswer): void {
    if (this.#hasStarted) return;
    this.#hasStarted = true;
    const announced = { ...this.#response, ...response };
    const { id, model } = announced;
    this.#queue.push({
      type: 'generation-start',
      id: textOf(id),
      model: textOf(model) || this.#context.model,
      ...(this.#context.relays && { extra: { responses: findResponseLeftovers(announced) } }),
    });
  }

  #announceItem(event: ReadEvent, item: AnswerItem): void {
    const key = keyOf(event);
    const known = this.#items.get(key);
    const open = known && !known.hasBegun ? known : this.#addItem(key, textOf(item.type));
    open.hasBegun = true;
    if (!known && this.#context.relays && canRelay(item, this.#context)) {
      open.lane.isRelayed = true;
      this.#relay(event, 'response.output_item.added');
    }
    open.reader.begin(item);
  }

  #endItem(key: JsonValue, item: AnswerItem, event: ReadEvent = { output_index: key, item }): void {
    const known = this.#items.get(key);
    const open = known && !known.isEnded ? known : this.#addItem(key, textOf(item.type));
    open.isEnded = true;
    if (open.lane.isRelayed) {
      const whole = completeCall(item, open.reader.received);
      this.#relay(whole === item ? event : { ...event, item: whole }, 'response.output_item.done');
    }
    open.hasBegun = true;
    tallyItem(this.#tally, item);
    open.reader.end(item);
  }

  #getItem(type: ResponsesEventType, event: ReadEvent): OpenItem | undefined {
    const known = this.#items.get(keyOf(event));
    if (known) return known.isEnded ? undefined : known;
    const kind = KINDS.find(([prefix]) => type.startsWith(prefix))?.[1];
    return kind === undefined ? undefined : this.#addItem(keyOf(event), kind);
  }

  #addItem(key: JsonValue, type: string): OpenItem {
    this.#begin({});
    const lane = this.#queue.addLane();
    const open = { reader: this.#createReader(type, lane), lane, hasBegun: false, isEnded: false };
    this.#items.set(key, open);
    this.#all.push(open);
    return open;
  }

  #createReader(type: string, lane: BlockLane): OutputItemReader {
    switch (type as ResponsesItemType) {
      case 'message':
        return new MessageReader(lane);
      case 'reasoning':
        return new ReasoningReader(lane, this.#context);
      case 'function_call':
      case 'custom_tool_call':
        return new ResponsesCallReader(lane, type === 'custom_tool_call', this.#context);
      case 'image_generation_call':
        return createWholeReader(lane, decodeOwnImage);
      default:
        return createWholeReader(lane, toNative);
    }
  }

  #completeCalls({ output, status }: ReadAnswer): AnswerItem[] {
    const items = itemsOf(output).filter(isObject);
    if (status === 'incomplete') return items;
    return items.map((item, at) => completeCall(item, this.#items.get(at)?.reader.received));
  }

  #catchUp(output: readonly AnswerItem[]): void {
    const announced = this.#all.length;
    output.forEach((item, at) => {
      const open = this.#items.get(at);
      if (at >= announced || (open && !open.isEnded)) this.#endItem(at, item);
    });
  }

  #decodeFinish(response: ReadAnswer): Finish {
    const { status, incomplete_details: details } = response;
    if (status === 'incomplete' || isObject(details)) {
      const raw = isObject(details) ? textOf(details.reason) : '';
      return { reason: REASONS.get(raw) ?? 'unknown', raw: raw === '' ? 'incomplete' : raw };
    }
    const { hasCalls, hasRefusal } = this.#queue;
    return { reason: hasCalls ? 'tool-calls' : hasRefusal ? 'content-filter' : 'stop', raw: 'completed' };
  }
}

/** Completes the arguments or the citation of an event. */
function completeEvent(event: ReadEvent, type: ResponsesEventType, reader: OutputItemReader): ReadEvent {
  if (type === 'response.function_call_arguments.done') return completeArguments(event, reader.received);
  const { annotation } = event;
  if (!isObject(annotation)) return event;
  return { ...event, annotation: completeCitation(annotation, reader.lengthAt?.(event) ?? 0) };
}

/** Events identify their item by index; some upstreams send only the id. */
function keyOf({ output_index: index, item_id: id, item }: ReadEvent): JsonValue {
  if (typeof index === 'number') return index;
  return textOf(id) || (isObject(item) ? textOf(item.id) : '');
}

/** An item that exists only in this format. */
function toNative(value: AnswerItem): Block {
  return { type: 'native', format: 'responses', value };
}
