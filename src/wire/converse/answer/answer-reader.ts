import type { Block, GenerationEnd, GenerationEvent, GenerationResult } from '#canonical';
import type { UpstreamFailure } from '#errors';
import type { AnswerReader, Reading } from '../../answer/answer-decoder.ts';
import { BlockQueue } from '../../answer/block-queue.ts';
import { ConverseBlockReader } from './block-reader.ts';
import { objectOf, textOf } from '../../body/read-answer.ts';
import { isArray, isObject } from '../../body/read-field.ts';
import type { Members } from '../../body/unchecked.ts';
import { createGarbled } from '../../errors/openai-error.ts';
import { CallIds } from '../../tools/call-ids.ts';
import type {
  ConverseAnswer,
  ConverseDelta,
  ConverseEvent,
  ConverseEventName,
  ConverseException,
  ConverseUsage,
} from './answer-schema.ts';
import { type AnswerContext, decodeAnswerBlock, decodeCall } from './decode-answer-block.ts';
import { decodeException, findEventFailure } from './failure.ts';
import { decodeFinish, findMalformed } from './finish.ts';
import { decodeUsage } from './usage.ts';

type Event = Members<ConverseEvent>;
type WholeAnswer = Members<ConverseAnswer & ConverseException>;

/**
 * Reads the events of an answer. Only tool calls are announced; text and reasoning begin
 * with their first delta, and the usage follows the end of the message.
 */
export class ConverseAnswerReader implements AnswerReader {
  readonly #context: AnswerContext;
  readonly #queue = new BlockQueue();
  readonly #blocks = new Map<number, ConverseBlockReader>();
  #last: ConverseBlockReader | undefined;
  #hasStarted = false;
  #stop: Event | undefined;
  #usage: Members<ConverseUsage> | undefined;

  constructor(context: AnswerContext) {
    this.#context = context;
  }

  /** The usage is optional, the end of the message is not. */
  get hasFinish(): boolean {
    return this.#stop !== undefined;
  }

  read(event: Event, name: string | undefined): Reading {
    switch (name as ConverseEventName | undefined) {
      case 'messageStart':
        this.#start();
        return undefined;
      case 'contentBlockStart':
        this.#start();
        this.#announce(toIndex(event), objectOf(event.start));
        return undefined;
      case 'contentBlockDelta':
        this.#start();
        this.#grow(toIndex(event), objectOf(event.delta));
        return undefined;
      case 'contentBlockStop':
        this.#blocks.get(toIndex(event))?.close();
        return undefined;
      case 'messageStop':
        this.#stop ??= event;
        return findMalformed(this.#stop.stopReason) ?? (this.#usage && 'end');
      case 'metadata':
        if (isObject(event.usage)) this.#usage = event.usage;
        return this.#stop && this.#usage && 'end';
      default:
        return findEventFailure(name, event);
    }
  }

  /** Its blocks are complete, so they need no events. */
  readWhole(body: WholeAnswer): GenerationResult | UpstreamFailure {
    const { content } = objectOf(objectOf(body.output).message);
    if (!isArray(content)) return toFailure(body);
    const malformed = findMalformed(body.stopReason);
    if (malformed) return malformed;
    const ids = new CallIds();
    const blocks = content.flatMap((raw) => (isObject(raw) ? decodeAnswerBlock(raw, this.#context) : []));
    return {
      id: '',
      model: this.#context.model,
      blocks: blocks.map((block) => ids.claimOf(block)),
      ...describeEnd(body, body.usage),
    };
  }

  /** The events since the last call. */
  drain(): GenerationEvent[] {
    return this.#queue.drain();
  }

  /** Adds the remaining events of a complete answer. */
  finish(): void {
    this.#start();
    for (const block of this.#blocks.values()) block.close();
    this.#queue.push({ type: 'generation-end', ...describeEnd(this.#stop ?? {}, this.#usage) });
  }

  #start(): void {
    if (this.#hasStarted) return;
    this.#hasStarted = true;
    this.#queue.push({ type: 'generation-start', id: '', model: this.#context.model });
  }

  #announce(index: number, { toolUse: call }: Members<ConverseEvent['start']>): void {
    if (!isObject(call)) return;
    const block = decodeCall(call, this.#context.names);
    this.#addBlock(index, { ...block, input: { json: '' } });
  }

  #grow(index: number, delta: Members<ConverseDelta>): void {
    const kind = findKind(delta);
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
  #addBlock(index: number, block: Block): ConverseBlockReader {
    this.#blocks.get(index)?.close();
    if (this.#last && this.#last.kind !== 'tool-call') this.#last.close();
    const reader = new ConverseBlockReader(this.#queue.addLane(), block);
    this.#blocks.set(index, reader);
    this.#last = reader;
    return reader;
  }
}

function toFailure(body: WholeAnswer): UpstreamFailure {
  if (typeof body.message === 'string' || typeof body.__type === 'string')
    return decodeException(undefined, body);
  return createGarbled(
    JSON.stringify(body),
    'the provider returned a response that is not a Converse answer',
  );
}

/** How an answer ended, with its usage. */
function describeEnd(end: Event, usage: Event['usage']): Omit<GenerationEnd, 'type'> {
  const decoded = isObject(usage) ? decodeUsage(usage) : undefined;
  return {
    finish: decodeFinish(end.stopReason, end.additionalModelResponseFields),
    ...(decoded && { usage: decoded }),
  };
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
