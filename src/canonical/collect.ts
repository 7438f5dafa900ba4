import type { Block, ReasoningBlock } from './block.ts';
import type { BlockEnd, BlockStart, GenerationEnd, GenerationEvent, GenerationStart } from './event.ts';
import type { GenerationResult } from './result.ts';
import { inputJsonOf } from './block.ts';

/** Thrown when events violate the grammar: a bug in a decoder, never a fault of an upstream. */
export class GrammarError extends Error {
  constructor(message: string) {
    super(message);
    this.name = 'GrammarError';
  }
}

/**
 * Builds the result of a complete generation from its events. Invariant: `collect(toEvents(result))` equals `result`.
 */
export class Collector {
  #result: GenerationResult | undefined;
  #open: Block | undefined;
  #text = '';
  #ended = false;

  push(event: GenerationEvent): void {
    if (this.#ended) throw new GrammarError(`${event.type} after the end`);
    if (event.type === 'generation-start') this.#start(event);
    else this.#continue(event, this.#getResult());
  }

  /** The result so far; complete only after `generation-end`. */
  get result(): GenerationResult {
    return this.#getResult();
  }

  get isComplete(): boolean {
    return this.#ended;
  }

  #getResult(): GenerationResult {
    if (!this.#result) throw new GrammarError('no generation-start yet');
    return this.#result;
  }

  #start(event: GenerationEvent & { type: 'generation-start' }): void {
    if (this.#result) throw new GrammarError('a second generation-start');
    this.#result = { id: event.id, model: event.model, blocks: [], finish: { reason: 'unknown' } };
    if (event.usage) this.#result.usage = event.usage;
    if (event.served) this.#result.served = event.served;
    if (event.extra) this.#result.extra = event.extra;
  }

  #continue(event: Exclude<GenerationEvent, { type: 'generation-start' }>, result: GenerationResult): void {
    switch (event.type) {
      case 'block-start':
        this.#openBlock(event, result);
        break;
      case 'block-delta':
        this.#getOpen(event, result);
        this.#text += event.text;
        break;
      case 'block-annotation': {
        const block = this.#getOpen(event, result);
        if (block.type === 'text') (block.annotations ??= []).push(event.annotation);
        break;
      }
      case 'block-end':
        this.#closeBlock(event, result);
        break;
      case 'relay':
      case 'tools-used':
        break;
      case 'generation-end':
        if (this.#open) throw new GrammarError('generation-end with an open block');
        result.finish = event.finish;
        if (event.usage) result.usage = event.usage;
        if (event.served) result.served = event.served;
        if (event.parts) result.parts = event.parts;
        if (event.tools) result.tools = event.tools;
        if (event.extra) result.extra = result.extra ? { ...result.extra, ...event.extra } : event.extra;
        this.#ended = true;
        break;
      case 'generation-error':
        this.#ended = true;
    }
  }

  #openBlock(event: BlockStart, result: GenerationResult): void {
    if (this.#open) throw new GrammarError('block-start inside an open block');
    if (event.index !== result.blocks.length) throw new GrammarError(`block ${event.index} out of order`);
    this.#open = { ...event.block };
    this.#text = '';
    result.blocks.push(this.#open);
  }

  #getOpen(event: { index: number; type: string }, result: GenerationResult): Block {
    if (!this.#open) throw new GrammarError(`${event.type} outside a block`);
    if (event.index !== result.blocks.length - 1) throw new GrammarError(`${event.type} of another block`);
    return this.#open;
  }

  #closeBlock(event: BlockEnd, result: GenerationResult): void {
    const block = this.#getOpen(event, result);
    const text = this.#text;
    if (block.type === 'text') block.text += text;
    else if (block.type === 'reasoning') block.text += text;
    else if (block.type === 'tool-call') block.input = { json: joinInput(inputJsonOf(block), text) };
    if (block.type === 'reasoning') sign(block, event.signature);
    this.#open = undefined;
  }
}

function sign(block: ReasoningBlock, signature: string | undefined): void {
  if (signature !== undefined) block.signature = signature;
}

/** Streamed arguments replace those of the opening block (`{}` if it had none). */
function joinInput(opening: string, streamed: string): string {
  return streamed === '' ? opening : streamed;
}

/** Collects a complete sequence of events. */
export function collect(events: Iterable<GenerationEvent>): GenerationResult {
  const collector = new Collector();
  for (const event of events) collector.push(event);
  return collector.result;
}

/** The events of a result, one delta per block. */
export function toEvents(result: GenerationResult): GenerationEvent[] {
  const { id, model, finish, usage, served, parts, tools, extra } = result;
  const start: GenerationStart = { type: 'generation-start', id, model };
  const end: GenerationEnd = { type: 'generation-end', finish };
  if (usage) start.usage = end.usage = usage;
  if (served) end.served = served;
  if (parts) end.parts = parts;
  if (tools) end.tools = tools;
  if (extra) end.extra = extra;
  const events: GenerationEvent[] = [start];
  result.blocks.forEach((block, index) => addBlockEvents(events, block, index));
  events.push(end);
  return events;
}

function addBlockEvents(events: GenerationEvent[], block: Block, index: number): void {
  events.push({ type: 'block-start', index, block: openBlock(block) });
  if (block.type === 'text' && block.annotations)
    for (const annotation of block.annotations) events.push({ type: 'block-annotation', index, annotation });
  const text = textOf(block);
  if (text !== '') events.push({ type: 'block-delta', index, text });
  const end: BlockEnd = { type: 'block-end', index };
  if (block.type === 'reasoning' && block.signature !== undefined) end.signature = block.signature;
  events.push(end);
}

/** A block as it opens: without what deltas, annotations and its end add. */
function openBlock(block: Block): Block {
  switch (block.type) {
    case 'text': {
      const opening = { ...block, text: '' };
      if (block.annotations) delete opening.annotations;
      return opening;
    }
    case 'reasoning': {
      const opening = { ...block, text: '' };
      if (block.signature !== undefined) delete opening.signature;
      return opening;
    }
    case 'tool-call':
      return { ...block, input: { json: '' } };
    default:
      return block;
  }
}

function textOf(block: Block): string {
  if (block.type === 'text' || block.type === 'reasoning') return block.text;
  return block.type === 'tool-call' ? inputJsonOf(block) : '';
}
