import type { Extra, GenerationEnd, GenerationEvent, GenerationResult, GenerationStart } from '#canonical';
import type { UpstreamFailure } from '#errors';
import type { AnswerReader, Reading } from '../../answer/answer-decoder.ts';
import { BlockQueue } from '../../answer/block-queue.ts';
import type {
  MessagesAnswer,
  MessagesDelta,
  MessagesDeltaType,
  MessagesEvent,
  MessagesEventType,
  MessagesUsage,
} from './answer-schema.ts';
import { objectOf, textOf } from '../../body/read-answer.ts';
import { isArray, isObject, itemsOf } from '../../body/read-field.ts';
import type { MessagesBlock } from '../block-schema.ts';
import type { Members } from '../../body/unchecked.ts';
import { MessagesBlockReader } from './block-reader.ts';
import { type AnswerContext, decodeAnswerBlock, isTypedBlock } from './decode-answer-block.ts';
import { CallIds } from '../../tools/call-ids.ts';
import { createGarbled } from '../../errors/openai-error.ts';
import { decodeErrorEvent } from './failure.ts';
import { decodeFinish, findUnnamedStopReason } from './finish.ts';
import { readServed } from './served.ts';
import { findToolUses } from './tool-uses.ts';
import { decodeModelUsage, decodeUsage, findUsageLeftovers, overlay, overlayUsage } from './usage.ts';
import { without } from '../../body/without.ts';

type Event = Members<MessagesEvent>;

const MESSAGE_MEMBERS = new Set<keyof MessagesAnswer>([
  'id',
  'type',
  'role',
  'model',
  'content',
  'stop_reason',
  'stop_sequence',
  'usage',
]);
const END_MEMBERS = new Set<keyof MessagesEvent>(['type', 'delta', 'usage']);
const IMPLICIT: ReadonlyMap<unknown, Members<MessagesBlock>> = new Map<
  MessagesDeltaType,
  Members<MessagesBlock>
>([
  ['text_delta', { type: 'text', text: '' }],
  ['thinking_delta', { type: 'thinking', thinking: '', signature: '' }],
]);

const EARLY_BLOCK = 'the provider sent a block before its answer began';

/** Reads the events of a Message, or a whole one; the output follows the grammar, whatever the upstream sends. */
export class MessagesAnswerReader implements AnswerReader {
  readonly #context: AnswerContext;
  readonly #queue = new BlockQueue();
  readonly #blocks = new Map<number, MessagesBlockReader>();
  #last: MessagesBlockReader | undefined;
  #count = 0;
  #id: string | undefined;
  #leftovers: Members<MessagesAnswer> = {};
  #usage: Members<MessagesUsage> | undefined;
  #isUsageFinal = false;
  #stopReason: Members<MessagesDelta>['stop_reason'];
  #stopSequence: Members<MessagesDelta>['stop_sequence'];
  #hasStopped = false;

  constructor(context: AnswerContext) {
    this.#context = context;
  }

  get hasFinish(): boolean {
    return this.#hasStopped;
  }

  read(event: Event, name: string | undefined): Reading {
    const type = typeof event.type === 'string' ? event.type : name;
    switch (type as MessagesEventType | undefined) {
      case 'content_block_delta':
        return this.#growBlock(event);
      case 'content_block_start':
        return this.#openBlock(event);
      case 'content_block_stop':
        this.#findBlock(event)?.close();
        return undefined;
      case 'message_start':
        return this.#begin(objectOf(event.message));
      case 'message_delta':
        this.#readEnd(event);
        return undefined;
      case 'message_stop':
        return this.#stop();
      case 'error':
        return decodeErrorEvent(event);
      default:
        return this.#readUnknown(event, type);
    }
  }

  /** The blocks of a whole Message are complete, so they need no events. */
  readWhole(body: Members<MessagesAnswer | MessagesEvent>): GenerationResult | UpstreamFailure {
    const { content, type, error } = body;
    if (type === 'error' || (isObject(error) && !isArray(content))) return decodeErrorEvent(body);
    if (!isArray(content))
      return createGarbled(JSON.stringify(body), 'the provider returned a response that is not a Message');
    this.#readMessage(body);
    this.#isUsageFinal = true;
    const ids = new CallIds();
    return this.#complete({
      id: textOf(body.id),
      model: textOf(body.model),
      blocks: content.filter(isTypedBlock).map((raw) => ids.claimOf(decodeAnswerBlock(raw, this.#context))),
      finish: decodeFinish(body.stop_reason, body.stop_sequence),
    });
  }

  /** The events since the last call. */
  drain(): GenerationEvent[] {
    return this.#queue.drain();
  }

  /** Adds the remaining events of a complete answer. */
  finish(): void {
    for (const block of this.#blocks.values()) block.close();
    const finish = decodeFinish(this.#stopReason, this.#stopSequence);
    this.#queue.push(this.#complete({ type: 'generation-end', finish }));
  }

  /** Adds what an answer reports about itself. */
  #complete<End extends GenerationEnd | GenerationResult>(end: End): End {
    const usage = this.#usage;
    if (usage && this.#isUsageFinal) {
      Object.assign(end, decodeModelUsage(usage));
      const served = readServed(usage);
      if (served) end.served = served;
    }
    const tools = findToolUses(usage, this.#leftovers);
    if (tools) end.tools = tools;
    const extra = toExtra({ ...this.#leftovers, ...findUnnamedStopReason(end.finish) }, usage);
    if (extra) end.extra = extra;
    return end;
  }

  /** Compatible servers send errors without a type. Any other event is passed on to clients of this format. */
  #readUnknown(event: Event, type: string | undefined): Reading {
    if (isObject(event.error)) return decodeErrorEvent(event);
    if (type !== undefined && type !== 'ping' && this.#id !== undefined)
      this.#queue.push({ type: 'relay', format: 'messages', value: { ...event, type } });
    return undefined;
  }

  #begin(message: Members<MessagesAnswer>): Reading {
    const id = textOf(message.id);
    if (this.#id !== undefined) {
      // Some servers send it twice; a different id means that a second answer was spliced into the first.
      return this.#id === id
        ? undefined
        : createGarbled(id, 'the provider began a second answer inside the first');
    }
    this.#id = id;
    this.#readMessage(message);
    this.#queue.push(this.#describeStart(id, message));
    itemsOf(message.content)
      .filter(isTypedBlock)
      .forEach((raw, index) => this.#addBlock(raw, index).close());
    this.#blocks.clear();
    return undefined;
  }

  /** An answer resumed inside a server tool call arrives whole in its start, with its stop reason. */
  #readMessage(message: Members<MessagesAnswer>): void {
    this.#leftovers = without(message, MESSAGE_MEMBERS);
    this.#usage = isObject(message.usage) ? message.usage : undefined;
    this.#stopReason = message.stop_reason;
    this.#stopSequence = message.stop_sequence;
    this.#isUsageFinal = typeof message.stop_reason === 'string' && this.#usage !== undefined;
  }

  #describeStart(id: string, message: Members<MessagesAnswer>): GenerationStart {
    const start: GenerationStart = { type: 'generation-start', id, model: textOf(message.model) };
    const usage = this.#usage;
    const decoded = usage && decodeUsage(usage);
    if (decoded) start.usage = decoded;
    const served = usage && readServed(usage);
    if (served) start.served = served;
    const extra = toExtra(this.#leftovers, usage);
    if (extra) start.extra = extra;
    return start;
  }

  #openBlock(event: Event): Reading {
    if (this.#id === undefined) return createGarbled('', EARLY_BLOCK);
    const raw = event.content_block;
    if (isTypedBlock(raw)) this.#addBlock(raw, toIndex(event) ?? this.#count);
    return undefined;
  }

  #growBlock(event: Event): Reading {
    if (this.#id === undefined) return createGarbled('', EARLY_BLOCK);
    const delta = objectOf(event.delta);
    const block = this.#findBlock(event) ?? this.#openImplicitly(event, delta);
    block?.grow(delta);
    return undefined;
  }

  #openImplicitly(event: Event, delta: Members<MessagesDelta>): MessagesBlockReader | undefined {
    const index = toIndex(event) ?? this.#count;
    const raw = IMPLICIT.get(delta.type);
    return raw && !this.#blocks.has(index) ? this.#addBlock(raw, index) : undefined;
  }

  #addBlock(raw: Members<MessagesBlock>, upstreamIndex: number): MessagesBlockReader {
    this.#blocks.get(upstreamIndex)?.close();
    const place = { lane: this.#queue.addLane(), index: this.#count };
    const block = new MessagesBlockReader(place, raw, this.#context);
    this.#count += 1;
    this.#blocks.set(upstreamIndex, block);
    this.#last = block;
    return block;
  }

  #findBlock(event: Event): MessagesBlockReader | undefined {
    const index = toIndex(event);
    return index === undefined ? this.#last : this.#blocks.get(index);
  }

  #readEnd(event: Event): void {
    if (this.#id === undefined) return;
    const { delta, usage } = event;
    const { stop_reason: reason, stop_sequence: sequence, ...own } = objectOf(delta);
    this.#stopReason = reason ?? this.#stopReason;
    this.#stopSequence = sequence ?? this.#stopSequence;
    this.#leftovers = overlay(overlay(this.#leftovers, own), without(event, END_MEMBERS));
    if (isObject(usage)) {
      this.#usage = overlayUsage(this.#usage ?? {}, usage);
      if (typeof usage.output_tokens === 'number') this.#isUsageFinal = true;
    }
  }

  #stop(): Reading {
    if (this.#id === undefined) return createGarbled('', 'the provider ended an answer before it began');
    if (typeof this.#stopReason !== 'string')
      return { kind: 'broken', message: 'the provider ended its answer without a stop reason' };
    this.#hasStopped = true;
    return 'end';
  }
}

function toIndex({ index }: Event): number | undefined {
  return typeof index === 'number' ? index : undefined;
}

/** Other members of a message and its usage, restored for Messages clients only. */
function toExtra(
  leftovers: Members<MessagesAnswer>,
  usage: Members<MessagesUsage> | undefined,
): Extra | undefined {
  const ofUsage = usage && findUsageLeftovers(usage);
  const messages = ofUsage ? { ...leftovers, usage: ofUsage } : leftovers;
  return Object.keys(messages).length > 0 ? { messages } : undefined;
}
