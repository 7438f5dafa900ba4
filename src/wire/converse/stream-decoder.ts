import { type SseMessage, parseJsonObject } from '#base';
import type { Block, GenerationEnd, GenerationEvent } from '#canonical';
import type { UpstreamFailure } from '#errors';
import type { StreamDecoder } from '../contract.ts';
import { BlockQueue } from '../answer/block-queue.ts';
import { ConverseBlockReader } from './block-reader.ts';
import { textOf } from '../body/read-answer.ts';
import { isObject } from '../body/read-field.ts';
import type { Members } from '../body/unchecked.ts';
import type { ConverseDelta, ConverseEvent, ConverseUsage } from './answer-schema.ts';
import type { AnswerContext } from './decode-result.ts';
import { decodeException } from './failure.ts';
import { decodeFinish, findMalformed } from './finish.ts';
import { decodeUsage } from './usage.ts';

type Event = Members<ConverseEvent>;

/**
 * Reads the events of a Converse stream: `event` is the frame's event type, `data` its payload. Only tool calls are
 * announced; text and reasoning begin with their first delta, and the usage follows the end of the message.
 */
export class ConverseStreamDecoder implements StreamDecoder {
  readonly #context: AnswerContext;
  #hasBegun = false;
  #isOver = false;
  readonly #queue = new BlockQueue();
  readonly #blocks = new Map<number, ConverseBlockReader>();
  #last: ConverseBlockReader | undefined;
  #stop: Event | undefined;
  #usage: Members<ConverseUsage> | undefined;

  constructor(context: AnswerContext) {
    this.#context = context;
  }

  push({ event = '', data }: SseMessage): GenerationEvent[] {
    if (this.#isOver) return [];
    const body: Event | undefined = parseJsonObject(data);
    if (/exception$|error$/i.test(event))
      return this.#fail(decodeException(event, body ?? { message: data }));
    if (!body) return this.#garble('the provider sent an event that cannot be read', data);
    switch (event) {
      case 'messageStart':
        this.#begin();
        break;
      case 'contentBlockStart':
        this.#begin();
        this.#openBlock(body);
        break;
      case 'contentBlockDelta':
        this.#begin();
        this.#growBlock(body);
        break;
      case 'contentBlockStop':
        this.#blocks.get(toIndex(body))?.close();
        break;
      case 'messageStop':
        this.#stop ??= body;
        return this.#usage ? this.#end() : [];
      case 'metadata':
        if (isObject(body.usage)) this.#usage = body.usage;
        return this.#stop && this.#usage ? this.#end() : [];
    }
    return this.#queue.drain();
  }

  /** The usage is optional, the end of the message is not. */
  close(): GenerationEvent[] {
    if (this.#isOver) return [];
    if (this.#stop) return this.#end();
    return this.#fail({ kind: 'broken', message: 'the provider ended its answer in the middle' });
  }

  #begin(): void {
    if (this.#hasBegun) return;
    this.#hasBegun = true;
    this.#queue.push({ type: 'generation-start', id: '', model: this.#context.model });
  }

  #openBlock(body: Event): void {
    const tool = isObject(body.start) ? body.start.toolUse : undefined;
    if (!isObject(tool)) return;
    this.#addBlock(toIndex(body), {
      type: 'tool-call',
      id: textOf(tool.toolUseId),
      name: this.#context.names.restore(textOf(tool.name)),
      input: { json: '' },
    });
  }

  #growBlock(body: Event): void {
    const delta = isObject(body.delta) ? body.delta : {};
    const kind = findKind(delta);
    const index = toIndex(body);
    let block = this.#blocks.get(index);
    if (kind && (!block || block.kind !== kind)) block = this.#openImplicitly(index, kind);
    block?.grow(delta);
  }

  #openImplicitly(index: number, kind: 'text' | 'reasoning'): ConverseBlockReader {
    const block: Block =
      kind === 'text'
        ? { type: 'text', text: '' }
        : { type: 'reasoning', text: '', issuer: this.#context.issuer };
    return this.#addBlock(index, block);
  }

  /** Some models never end a text block: the next block ends it. */
  #addBlock(upstreamIndex: number, block: Block): ConverseBlockReader {
    this.#blocks.get(upstreamIndex)?.close();
    if (this.#last && this.#last.kind !== 'tool-call') this.#last.close();
    const reader = new ConverseBlockReader(this.#queue.addLane(), block);
    this.#blocks.set(upstreamIndex, reader);
    this.#last = reader;
    return reader;
  }

  #end(): GenerationEvent[] {
    const { stopReason, additionalModelResponseFields: fields } = this.#stop ?? {};
    const malformed = findMalformed(stopReason);
    if (malformed) return this.#fail(malformed);
    this.#begin();
    for (const block of this.#blocks.values()) block.close();
    const end: GenerationEnd = { type: 'generation-end', finish: decodeFinish(stopReason, fields) };
    const usage = this.#usage && decodeUsage(this.#usage);
    if (usage) end.usage = usage;
    this.#queue.push(end);
    this.#isOver = true;
    return this.#queue.drain();
  }

  #garble(message: string, detail: string): GenerationEvent[] {
    return this.#fail({ kind: 'garbled', message, detail: detail.slice(0, 2048) });
  }

  #fail(failure: UpstreamFailure): GenerationEvent[] {
    this.#isOver = true;
    return [{ type: 'generation-error', failure }];
  }
}

function toIndex({ contentBlockIndex: index }: Event): number {
  return typeof index === 'number' ? index : 0;
}

/** The kind of block a delta begins; empty deltas begin none, and tool calls are announced. */
function findKind({
  text,
  reasoningContent: reasoning,
}: Members<ConverseDelta>): 'text' | 'reasoning' | undefined {
  if (typeof text === 'string') return text === '' ? undefined : 'text';
  if (!isObject(reasoning)) return undefined;
  const says = [reasoning.text, reasoning.signature, reasoning.redactedContent];
  return says.some((value) => textOf(value) !== '') ? 'reasoning' : undefined;
}
