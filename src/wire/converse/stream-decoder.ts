import { type JsonObject, type SseMessage, isJsonObject, parseJsonObject } from '#base';
import type { Block, GenerationEnd, GenerationEvent } from '#canonical';
import type { UpstreamFailure } from '#errors';
import type { StreamDecoder } from '../contract.ts';
import { BlockSlot } from './block-slot.ts';
import { type AnswerContext, toText } from './decode-result.ts';
import { decodeException } from './failure.ts';
import { decodeFinish, findMalformed } from './finish.ts';
import { decodeUsage } from './usage.ts';

/**
 * Reads the events of a Converse stream: `event` is the frame's event type, `data` its payload. Only tool calls are announced;
 * text and reasoning begin with their first delta, and the usage comes after the end of the message.
 */
export class ConverseStreamDecoder implements StreamDecoder {
  readonly #context: AnswerContext;
  #hasBegun = false;
  #isOver = false;
  /** Blocks not yet told in full, in order of arrival; only the first one's events are told. */
  #queue: BlockSlot[] = [];
  #slots = new Map<number, BlockSlot>();
  #count = 0;
  #stop: JsonObject | undefined;
  #usage: JsonObject | undefined;

  constructor(context: AnswerContext) {
    this.#context = context;
  }

  push({ event = '', data }: SseMessage): GenerationEvent[] {
    if (this.#isOver) return [];
    const body = parseJsonObject(data);
    if (/exception$|error$/i.test(event))
      return this.#fail(decodeException(event, body ?? { message: data }));
    if (!body) return this.#garble('the provider sent an event that cannot be read', data);
    switch (event) {
      case 'messageStart':
        return this.#begin();
      case 'contentBlockStart':
        return [...this.#begin(), ...this.#openBlock(body)];
      case 'contentBlockDelta':
        return [...this.#begin(), ...this.#growBlock(body)];
      case 'contentBlockStop':
        this.#slots.get(toIndex(body))?.close();
        return this.#drain();
      case 'messageStop':
        this.#stop ??= body;
        return this.#usage ? this.#end() : [];
      case 'metadata':
        if (isJsonObject(body['usage'])) this.#usage = body['usage'];
        return this.#stop && this.#usage ? this.#end() : [];
      default:
        return [];
    }
  }

  /** Usage may be missing; an end may not. */
  close(): GenerationEvent[] {
    if (this.#isOver) return [];
    if (this.#stop) return this.#end();
    return this.#fail({ kind: 'broken', message: 'the provider ended its answer in the middle' });
  }

  #begin(): GenerationEvent[] {
    if (this.#hasBegun) return [];
    this.#hasBegun = true;
    return [{ type: 'generation-start', id: '', model: this.#context.model }];
  }

  #openBlock(body: JsonObject): GenerationEvent[] {
    const start = isJsonObject(body['start']) ? body['start'] : {};
    const tool = start['toolUse'];
    if (!isJsonObject(tool)) return [];
    this.#addSlot(toIndex(body), {
      type: 'tool-call',
      id: toText(tool['toolUseId']),
      name: this.#context.restoreName(toText(tool['name'])),
      input: { json: '' },
    });
    return this.#drain();
  }

  #growBlock(body: JsonObject): GenerationEvent[] {
    const delta = isJsonObject(body['delta']) ? body['delta'] : {};
    const kind = findKind(delta);
    const index = toIndex(body);
    let slot = this.#slots.get(index);
    if (kind && (!slot || slot.kind !== kind)) slot = this.#openImplicitly(index, kind);
    slot?.grow(delta);
    return this.#drain();
  }

  #openImplicitly(index: number, kind: 'text' | 'reasoning'): BlockSlot {
    const block: Block =
      kind === 'text'
        ? { type: 'text', text: '' }
        : { type: 'reasoning', text: '', issuer: this.#context.issuer };
    return this.#addSlot(index, block);
  }

  /** Some models never end a block of text: the next block does. */
  #addSlot(upstreamIndex: number, block: Block): BlockSlot {
    this.#slots.get(upstreamIndex)?.close();
    for (const before of this.#queue) if (before.kind !== 'tool-call') before.close();
    const slot = new BlockSlot(this.#count, block);
    this.#count += 1;
    this.#slots.set(upstreamIndex, slot);
    this.#queue.push(slot);
    return slot;
  }

  #drain(): GenerationEvent[] {
    const events: GenerationEvent[] = [];
    while (this.#queue[0]) {
      const slot = this.#queue[0];
      for (const event of slot.drain()) events.push(event);
      if (!slot.isClosed) break;
      this.#queue.shift();
    }
    return events;
  }

  #end(): GenerationEvent[] {
    const { stopReason, additionalModelResponseFields: fields } = this.#stop ?? {};
    const malformed = findMalformed(stopReason);
    if (malformed) return this.#fail(malformed);
    for (const slot of this.#queue) slot.close();
    const end: GenerationEnd = { type: 'generation-end', finish: decodeFinish(stopReason, fields) };
    const usage = this.#usage && decodeUsage(this.#usage);
    if (usage) end.usage = usage;
    const events = [...this.#begin(), ...this.#drain(), end];
    this.#isOver = true;
    return events;
  }

  #garble(message: string, detail: string): GenerationEvent[] {
    return this.#fail({ kind: 'garbled', message, detail: detail.slice(0, 2048) });
  }

  #fail(failure: UpstreamFailure): GenerationEvent[] {
    this.#isOver = true;
    return [{ type: 'generation-error', failure }];
  }
}

function toIndex({ contentBlockIndex: index }: JsonObject): number {
  return typeof index === 'number' ? index : 0;
}

/** What kind of block a delta begins; empty ones begin none, and tool calls are announced. */
function findKind({ text, reasoningContent: reasoning }: JsonObject): 'text' | 'reasoning' | undefined {
  if (typeof text === 'string') return text === '' ? undefined : 'text';
  if (!isJsonObject(reasoning)) return undefined;
  const says = [reasoning['text'], reasoning['signature'], reasoning['redactedContent']];
  return says.some((value) => toText(value) !== '') ? 'reasoning' : undefined;
}
