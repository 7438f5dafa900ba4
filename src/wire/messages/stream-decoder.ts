import { type JsonObject, type SseMessage, isJsonObject, parseJsonObject } from '#base';
import type { GenerationEnd, GenerationEvent, GenerationStart } from '#canonical';
import type { UpstreamFailure } from '#errors';
import type { StreamDecoder } from '../contract.ts';
import { BlockSlot } from './block-slot.ts';
import {
  type AnswerContext,
  describeUsage,
  findMessageLeftovers,
  isTypedBlock,
  toExtra,
  toText,
} from './decode-answer.ts';
import { decodeErrorEvent } from './failure.ts';
import { decodeFinish, findUnnamedStopReason } from './finish.ts';
import { readServed } from './served.ts';
import { findToolUses } from './tool-uses.ts';
import { decodeUsage, overlay, overlayUsage } from './usage.ts';
import { without } from './without.ts';

const END_MEMBERS: ReadonlySet<string> = new Set(['type', 'delta', 'usage']);
const IMPLICIT: ReadonlyMap<unknown, JsonObject> = new Map<unknown, JsonObject>([
  ['text_delta', { type: 'text', text: '' }],
  ['thinking_delta', { type: 'thinking', thinking: '', signature: '' }],
]);

/** Reads Messages events; what it gives follows the grammar whatever the upstream sends. */
export class MessagesStreamDecoder implements StreamDecoder {
  readonly #context: AnswerContext;
  #id: string | undefined;
  #isOver = false;
  /** Blocks not yet told in full, in order of arrival; only the first one's events are told. */
  #queue: BlockSlot[] = [];
  #slots = new Map<number, BlockSlot>();
  #last: BlockSlot | undefined;
  #count = 0;
  #leftovers: JsonObject = {};
  #usage: JsonObject | undefined;
  #isUsageFinal = false;
  #stopReason: JsonObject[string];
  #stopSequence: JsonObject[string];

  constructor(context: AnswerContext) {
    this.#context = context;
  }

  push(message: SseMessage): GenerationEvent[] {
    if (this.#isOver) return [];
    const body = parseJsonObject(message.data);
    if (!body) return this.#pushUnreadable(message);
    const type = typeof body['type'] === 'string' ? body['type'] : message.event;
    switch (type) {
      case 'content_block_delta':
        return this.#growBlock(body);
      case 'content_block_start':
        return this.#openBlock(body);
      case 'content_block_stop':
        this.#findSlot(body)?.close();
        return this.#drain();
      case 'message_start':
        return this.#start(isJsonObject(body['message']) ? body['message'] : {});
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

  /** Compatible servers send errors without a type. Any other event is for clients of this format, which know it or not. */
  #readUnknown(body: JsonObject, type: string | undefined): GenerationEvent[] {
    if (isJsonObject(body['error'])) return this.#fail(decodeErrorEvent(body));
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

  #start(message: JsonObject): GenerationEvent[] {
    const id = toText(message['id']);
    if (this.#id !== undefined) {
      // Some servers say it twice; another id means that a second answer was spliced into the first.
      return this.#id === id ? [] : this.#garble('the provider began a second answer inside the first', id);
    }
    this.#id = id;
    this.#leftovers = findMessageLeftovers(message);
    const event: GenerationStart = { type: 'generation-start', id, model: toText(message['model']) };
    const usage = isJsonObject(message['usage']) ? message['usage'] : undefined;
    this.#usage = usage;
    // An answer that was resumed inside a call of the provider's own tools arrives whole, with its reason to stop.
    this.#stopReason = message['stop_reason'];
    this.#stopSequence = message['stop_sequence'];
    if (typeof this.#stopReason === 'string') this.#isUsageFinal = usage !== undefined;
    const told = usage && decodeUsage(usage);
    if (told) event.usage = told;
    const served = usage && readServed(usage);
    if (served) event.served = served;
    const extra = toExtra(this.#leftovers, usage);
    if (extra) event.extra = extra;
    const content = Array.isArray(message['content']) ? message['content'].filter(isTypedBlock) : [];
    content.forEach((raw, index) => this.#addSlot(raw, index).close());
    this.#slots.clear();
    return [event, ...this.#drain()];
  }

  #openBlock(body: JsonObject): GenerationEvent[] {
    if (this.#id === undefined) return this.#garble('the provider sent a block before its answer began', '');
    const raw = body['content_block'];
    if (isTypedBlock(raw)) this.#addSlot(raw, toIndex(body) ?? this.#count);
    return this.#drain();
  }

  #growBlock(body: JsonObject): GenerationEvent[] {
    if (this.#id === undefined) return this.#garble('the provider sent a block before its answer began', '');
    const delta = isJsonObject(body['delta']) ? body['delta'] : {};
    const slot = this.#findSlot(body) ?? this.#openImplicitly(body, delta);
    slot?.grow(delta);
    return this.#drain();
  }

  #openImplicitly(body: JsonObject, delta: JsonObject): BlockSlot | undefined {
    const index = toIndex(body) ?? this.#count;
    const raw = IMPLICIT.get(delta['type']);
    return raw && !this.#slots.has(index) ? this.#addSlot(raw, index) : undefined;
  }

  #addSlot(raw: JsonObject, upstreamIndex: number): BlockSlot {
    this.#slots.get(upstreamIndex)?.close();
    const slot = new BlockSlot(this.#count, raw, this.#context);
    this.#count += 1;
    this.#slots.set(upstreamIndex, slot);
    this.#queue.push(slot);
    this.#last = slot;
    return slot;
  }

  #findSlot(body: JsonObject): BlockSlot | undefined {
    const index = toIndex(body);
    return index === undefined ? this.#last : this.#slots.get(index);
  }

  #drain(): GenerationEvent[] {
    const [first] = this.#queue;
    if (!first) return [];
    if (!first.isClosed) return first.drain();
    const events: GenerationEvent[] = [];
    while (this.#queue[0]) {
      const slot = this.#queue[0];
      for (const event of slot.drain()) events.push(event);
      if (!slot.isClosed) break;
      this.#queue.shift();
    }
    return events;
  }

  #readEnd(body: JsonObject): GenerationEvent[] {
    if (this.#id === undefined) return [];
    const { delta, usage } = body;
    const { stop_reason: reason, stop_sequence: sequence, ...own } = isJsonObject(delta) ? delta : {};
    this.#stopReason = reason ?? this.#stopReason;
    this.#stopSequence = sequence ?? this.#stopSequence;
    this.#leftovers = overlay(overlay(this.#leftovers, own), without(body, END_MEMBERS));
    if (isJsonObject(usage)) {
      this.#usage = overlayUsage(this.#usage ?? {}, usage);
      if (typeof usage['output_tokens'] === 'number') this.#isUsageFinal = true;
    }
    return [];
  }

  #end(): GenerationEvent[] {
    if (this.#id === undefined) return this.#garble('the provider ended an answer it had not begun', '');
    if (typeof this.#stopReason !== 'string')
      return this.#break('the provider ended its answer without saying why');
    for (const slot of this.#queue) slot.close();
    const finish = decodeFinish(this.#stopReason, this.#stopSequence);
    const end: GenerationEnd = { type: 'generation-end', finish };
    if (this.#usage && this.#isUsageFinal) Object.assign(end, describeUsage(this.#usage));
    const tools = findToolUses(this.#usage, this.#leftovers);
    if (tools) end.tools = tools;
    const extra = toExtra({ ...this.#leftovers, ...findUnnamedStopReason(finish) }, this.#usage);
    if (extra) end.extra = extra;
    const events = this.#drain();
    this.#isOver = true;
    events.push(end);
    return events;
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

function toIndex(body: JsonObject): number | undefined {
  return typeof body['index'] === 'number' ? body['index'] : undefined;
}
