import { type SseMessage, parseJsonObject } from '#base';
import type { GenerationEnd, GenerationEvent, GenerationStart } from '#canonical';
import type { UpstreamFailure } from '#errors';
import type { StreamDecoder } from '../contract.ts';
import { BlockQueue } from '../answer/block-queue.ts';
import type { MessagesAnswer, MessagesDelta, MessagesEvent, MessagesUsage } from './answer-schema.ts';
import { textOf } from '../body/read-answer.ts';
import { isObject, itemsOf } from '../body/read-field.ts';
import type { MessagesBlock } from './block-schema.ts';
import type { Members } from '../body/unchecked.ts';
import { MessagesBlockReader } from './block-reader.ts';
import {
  type AnswerContext,
  describeUsage,
  findMessageLeftovers,
  isTypedBlock,
  toExtra,
} from './decode-result.ts';
import { decodeErrorEvent } from './failure.ts';
import { decodeFinish, findUnnamedStopReason } from './finish.ts';
import { readServed } from './served.ts';
import { findToolUses } from './tool-uses.ts';
import { decodeUsage, overlay, overlayUsage } from './usage.ts';
import { without } from '../body/without.ts';

type Event = Members<MessagesEvent>;

const END_MEMBERS = new Set<keyof MessagesEvent>(['type', 'delta', 'usage']);
const IMPLICIT: ReadonlyMap<unknown, Members<MessagesBlock>> = new Map<unknown, Members<MessagesBlock>>([
  ['text_delta', { type: 'text', text: '' }],
  ['thinking_delta', { type: 'thinking', thinking: '', signature: '' }],
]);

/** Reads Messages events; the output follows the grammar, whatever the upstream sends. */
export class MessagesStreamDecoder implements StreamDecoder {
  readonly #context: AnswerContext;
  #id: string | undefined;
  #isOver = false;
  readonly #queue = new BlockQueue();
  readonly #blocks = new Map<number, MessagesBlockReader>();
  #last: MessagesBlockReader | undefined;
  #count = 0;
  #leftovers: Members<MessagesAnswer> = {};
  #usage: Members<MessagesUsage> | undefined;
  #isUsageFinal = false;
  #stopReason: Members<MessagesDelta>['stop_reason'];
  #stopSequence: Members<MessagesDelta>['stop_sequence'];

  constructor(context: AnswerContext) {
    this.#context = context;
  }

  push(message: SseMessage): GenerationEvent[] {
    if (this.#isOver) return [];
    const body: Event | undefined = parseJsonObject(message.data);
    if (!body) return this.#pushUnreadable(message);
    const type = typeof body.type === 'string' ? body.type : message.event;
    switch (type) {
      case 'content_block_delta':
        return this.#growBlock(body);
      case 'content_block_start':
        return this.#openBlock(body);
      case 'content_block_stop':
        this.#findBlock(body)?.close();
        return this.#queue.drain();
      case 'message_start':
        return this.#start(isObject(body.message) ? body.message : {});
      case 'message_delta':
        return this.#readEnd(body);
      case 'message_stop':
        return this.#end();
      case 'error':
        return this.#fail(decodeErrorEvent(body));
      default:
        return this.#readUnknown(body, type);
    }
  }

  /** Compatible servers send errors without a type. Any other event is passed on to clients of this format. */
  #readUnknown(body: Event, type: string | undefined): GenerationEvent[] {
    if (isObject(body.error)) return this.#fail(decodeErrorEvent(body));
    if (type === undefined || type === 'ping' || this.#id === undefined) return [];
    return [{ type: 'relay', format: 'messages', value: { ...body, type } }];
  }

  close(): GenerationEvent[] {
    return this.#isOver ? [] : this.#break('the provider ended its answer in the middle');
  }

  #pushUnreadable({ event, data }: SseMessage): GenerationEvent[] {
    if (event === 'error')
      return this.#fail({
        kind: 'broken',
        message: 'the provider reported an error',
        detail: data.slice(0, 2048),
      });
    if (event === 'ping' || data.trim() === '' || data.trim() === '[DONE]') return [];
    return this.#garble('the provider sent an event that cannot be read', data);
  }

  #start(message: Members<MessagesAnswer>): GenerationEvent[] {
    const id = textOf(message.id);
    if (this.#id !== undefined) {
      // Some servers send it twice; a different id means that a second answer was spliced into the first.
      return this.#id === id ? [] : this.#garble('the provider began a second answer inside the first', id);
    }
    this.#id = id;
    this.#leftovers = findMessageLeftovers(message);
    const event: GenerationStart = { type: 'generation-start', id, model: textOf(message.model) };
    const usage = isObject(message.usage) ? message.usage : undefined;
    this.#usage = usage;
    // An answer resumed inside a server tool call arrives whole, with its stop reason.
    this.#stopReason = message.stop_reason;
    this.#stopSequence = message.stop_sequence;
    if (typeof this.#stopReason === 'string') this.#isUsageFinal = usage !== undefined;
    const decoded = usage && decodeUsage(usage);
    if (decoded) event.usage = decoded;
    const served = usage && readServed(usage);
    if (served) event.served = served;
    const extra = toExtra(this.#leftovers, usage);
    if (extra) event.extra = extra;
    this.#queue.push(event);
    itemsOf(message.content)
      .filter(isTypedBlock)
      .forEach((raw, index) => this.#addBlock(raw, index).close());
    this.#blocks.clear();
    return this.#queue.drain();
  }

  #openBlock(body: Event): GenerationEvent[] {
    if (this.#id === undefined) return this.#garble('the provider sent a block before its answer began', '');
    const raw = body.content_block;
    if (isTypedBlock(raw)) this.#addBlock(raw, toIndex(body) ?? this.#count);
    return this.#queue.drain();
  }

  #growBlock(body: Event): GenerationEvent[] {
    if (this.#id === undefined) return this.#garble('the provider sent a block before its answer began', '');
    const delta = isObject(body.delta) ? body.delta : {};
    const block = this.#findBlock(body) ?? this.#openImplicitly(body, delta);
    block?.grow(delta);
    return this.#queue.drain();
  }

  #openImplicitly(body: Event, delta: Members<MessagesDelta>): MessagesBlockReader | undefined {
    const index = toIndex(body) ?? this.#count;
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

  #findBlock(body: Event): MessagesBlockReader | undefined {
    const index = toIndex(body);
    return index === undefined ? this.#last : this.#blocks.get(index);
  }

  #readEnd(body: Event): GenerationEvent[] {
    if (this.#id === undefined) return [];
    const { delta, usage } = body;
    const {
      stop_reason: reason,
      stop_sequence: sequence,
      ...own
    } = isObject(delta) ? delta : ({} as Members<MessagesDelta>);
    this.#stopReason = reason ?? this.#stopReason;
    this.#stopSequence = sequence ?? this.#stopSequence;
    this.#leftovers = overlay(overlay(this.#leftovers, own), without(body, END_MEMBERS));
    if (isObject(usage)) {
      this.#usage = overlayUsage(this.#usage ?? {}, usage);
      if (typeof usage.output_tokens === 'number') this.#isUsageFinal = true;
    }
    return [];
  }

  #end(): GenerationEvent[] {
    if (this.#id === undefined) return this.#garble('the provider ended an answer before it began', '');
    if (typeof this.#stopReason !== 'string')
      return this.#break('the provider ended its answer without a stop reason');
    for (const block of this.#blocks.values()) block.close();
    const finish = decodeFinish(this.#stopReason, this.#stopSequence);
    const end: GenerationEnd = { type: 'generation-end', finish };
    if (this.#usage && this.#isUsageFinal) Object.assign(end, describeUsage(this.#usage));
    const tools = findToolUses(this.#usage, this.#leftovers);
    if (tools) end.tools = tools;
    const extra = toExtra({ ...this.#leftovers, ...findUnnamedStopReason(finish) }, this.#usage);
    if (extra) end.extra = extra;
    this.#isOver = true;
    this.#queue.push(end);
    return this.#queue.drain();
  }

  #garble(message: string, detail: string): GenerationEvent[] {
    return this.#fail({ kind: 'garbled', message, detail: detail.slice(0, 2048) });
  }

  #break(message: string): GenerationEvent[] {
    return this.#fail({ kind: 'broken', message });
  }

  #fail(failure: UpstreamFailure): GenerationEvent[] {
    this.#isOver = true;
    return [{ type: 'generation-error', failure }];
  }
}

function toIndex({ index }: Event): number | undefined {
  return typeof index === 'number' ? index : undefined;
}
