import type { SseMessage } from '#base';
import {
  type Annotation,
  type Block,
  type BlockEnd,
  type Extra,
  type GenerationEnd,
  type GenerationEvent,
  type GenerationStart,
  type Usage,
  inputJsonOf,
} from '#canonical';
import { type UpstreamFailure, toCallerError } from '#errors';
import type { ReplyContext, StreamEncoder } from '../../contract.ts';
import { describeContinued } from '../../answer/continued.ts';
import { createOutput, encodeResponse, describeEnd } from './encode-result.ts';
import { encodeError } from '../../errors/openai-error.ts';
import { encodeResponseError } from './error.ts';
import { itemsOf } from '../../body/read-field.ts';
import type { AnswerItem, ReadAnswer, ReadEvent } from './answer-schema.ts';
import { EventWriter, type Announcement, encodeBlockPart, findAnnouncement } from './event-writer.ts';
import {
  type OutputList,
  type PlacedItem,
  closeItem,
  encodeAnnotations,
  fillItem,
  showsAnything,
} from './output-list.ts';
import { RelayedItems } from './relayed-items.ts';

/** The block being streamed. */
interface OpenBlock {
  block: Block;
  parts: string[];
  annotations: Annotation[];
  announcement: Announcement | undefined;
  placed: PlacedItem | undefined;
  /** Members that locate the content: item, index. */
  place: ReadEvent;
  /** The same as JSON text, up to the delta. */
  head: string;
  /** The same, after the delta. */
  tail: string;
}

/**
 * Encodes a generation as Responses events. An item is reported done when the next one opens or the answer ends,
 * because only then is it known to be complete.
 */
export class ResponsesStreamEncoder implements StreamEncoder {
  readonly #context: ReplyContext;
  readonly #output: OutputList;
  readonly #writer = new EventWriter();
  readonly #relayed: RelayedItems;
  #open: OpenBlock | undefined;
  #unfinished: PlacedItem | undefined;
  #extra: Extra | undefined;
  #usage: Usage | undefined;
  #isOver = false;

  constructor(context: ReplyContext) {
    this.#context = context;
    this.#output = createOutput(context);
    this.#relayed = new RelayedItems(this.#output, this.#writer);
  }

  push(event: GenerationEvent): SseMessage[] {
    if (this.#isOver) return [];
    switch (event.type) {
      case 'generation-start':
        return this.#start(event);
      case 'block-start':
        return event.relayed ? [] : this.#openBlock(event.block);
      case 'block-delta':
        return this.#open && event.text !== '' ? this.#grow(this.#open, event.text) : [];
      case 'block-annotation':
        this.#open?.annotations.push(event.annotation);
        return [];
      case 'block-end':
        return this.#open ? this.#closeBlock(this.#open, event) : [];
      case 'relay':
        return event.format === 'responses' ? this.#relayed.write(event) : [];
      case 'tools-used':
        return [];
      case 'generation-end':
        return this.#end(event);
      case 'generation-error':
        return this.#fail(event.failure);
    }
  }

  ping(): string {
    return ': ping\n\n';
  }

  #start({ extra, usage }: GenerationStart): SseMessage[] {
    this.#extra = extra;
    this.#usage = usage;
    const response = encodeResponse(this.#context, { status: 'in_progress', output: [], extra });
    const members = `"response":${JSON.stringify(response)}`;
    return ['response.created', 'response.in_progress'].map((type) => this.#writer.writeText(type, members));
  }

  #openBlock(block: Block): SseMessage[] {
    const announcement = findAnnouncement(block);
    const grown = { parts: [], annotations: [], placed: undefined };
    const open: OpenBlock = { block, announcement, ...grown, place: {}, head: '', tail: '' };
    this.#open = open;
    if (block.type !== 'text' && block.type !== 'reasoning') return this.#place(open);
    return block.text === '' ? [] : this.#grow(open, block.text);
  }

  /** Places a block in its item. Text and thinking wait for their first delta, so empty ones are omitted. */
  #place(open: OpenBlock): SseMessage[] {
    const { block, announcement } = open;
    const placed = this.#output.open(block);
    if (!placed) return [];
    const { item, index, isNew } = placed;
    const frames = isNew ? this.#finishItem('completed') : [];
    if (isNew) {
      const members: ReadEvent = {
        item: block.type === 'media' ? begunImage(item) : item,
        output_index: index,
      };
      frames.push(this.#writer.write('response.output_item.added', members));
    }
    this.#unfinished = placed;
    open.placed = placed;
    open.place = { item_id: item.id, output_index: index, ...positionOf(block, item) };
    open.head = `${JSON.stringify(open.place).slice(1, -1)},"delta":`;
    open.tail = announcement?.siblings.logprobs ? ',"logprobs":[]' : '';
    return frames;
  }

  #finishItem(status: 'completed' | 'incomplete'): SseMessage[] {
    const placed = this.#unfinished;
    if (!placed) return [];
    this.#unfinished = undefined;
    closeItem(placed.item, status);
    const members: ReadEvent = { item: placed.item, output_index: placed.index };
    return [this.#writer.write('response.output_item.done', members)];
  }

  #grow(open: OpenBlock, text: string): SseMessage[] {
    const { block, announcement } = open;
    if (!announcement) return [];
    const frames: SseMessage[] = [];
    if (!open.placed) frames.push(...this.#place(open), ...this.#addPart(open, 'added', emptied(block)));
    open.parts.push(text);
    const members = `${open.head}${JSON.stringify(text)}${open.tail}`;
    frames.push(this.#writer.writeText(`${announcement.stem}.delta`, members));
    return frames;
  }

  #addPart({ announcement, place }: OpenBlock, stage: 'added' | 'done', block: Block): SseMessage[] {
    const part = encodeBlockPart(block);
    return announcement?.part && part
      ? [this.#writer.write(`${announcement.part}.${stage}`, { ...place, part })]
      : [];
  }

  #closeBlock(open: OpenBlock, event: BlockEnd): SseMessage[] {
    this.#open = undefined;
    const block = complete(open, event);
    const frames: SseMessage[] = [];
    if (!open.placed && showsAnything(block)) {
      frames.push(...this.#place(open));
      if (block.type === 'text') frames.push(...this.#addPart(open, 'added', emptied(block)));
    }
    const { placed, announcement } = open;
    if (!placed) return frames;
    if (announcement) frames.push(...this.#addWhole(open, block, announcement));
    fillItem(placed.item, block);
    return frames;
  }

  #addWhole(open: OpenBlock, block: Block, { stem, whole, siblings }: Announcement): SseMessage[] {
    const text = textOf(block);
    if (block.type === 'reasoning' && text === '') return [];
    const unsupported = block.type === 'tool-call' && open.parts.length === 0 && text !== '';
    const frames = unsupported ? this.#grow(open, text) : [];
    if (block.type === 'text') {
      encodeAnnotations(block).forEach((annotation, at) => {
        const members: ReadEvent = { ...open.place, annotation, annotation_index: at };
        frames.push(this.#writer.write('response.output_text.annotation.added', members));
      });
    }
    frames.push(this.#writer.write(`${stem}.done`, { ...open.place, [whole]: text, ...siblings }));
    return [...frames, ...this.#addPart(open, 'done', block)];
  }

  #end({ finish, usage = this.#usage, extra }: GenerationEnd): SseMessage[] {
    this.#isOver = true;
    const kept: ReadAnswer = extra?.responses ?? {};
    this.#relayed.finish(kept.output);
    const end = this.#output.close(finish);
    const response = describeEnd(this.#context, {
      ...end,
      output: this.#output.items,
      usage,
      extra: { ...this.#extra, ...extra },
    });
    const members = { response, ...describeContinued(finish, this.#context) };
    return [...this.#finishItem(end.status), this.#writer.write(`response.${end.status}`, members)];
  }

  /** Ends the stream as OpenAI does: the error, then the failed response. */
  #fail(failure: UpstreamFailure): SseMessage[] {
    this.#isOver = true;
    const error = toCallerError(failure);
    const { error: given } = encodeError(error);
    const { message, param, code } = given;
    const response = encodeResponse(this.#context, {
      status: 'failed',
      error: encodeResponseError(error),
      output: this.#output.items.filter((item) => item !== this.#unfinished?.item && !isOpen(item)),
      ...(this.#extra && { extra: this.#extra }),
    });
    return [
      this.#writer.write('error', { message, param, code, error: given }),
      this.#writer.write('response.failed', { response }),
    ];
  }
}

function isOpen({ status }: AnswerItem): boolean {
  return status === 'in_progress';
}

/** An image before its data, which is sent once it is complete. */
function begunImage(item: AnswerItem): AnswerItem {
  return { ...item, status: 'in_progress', result: null };
}

/** The position of a block in its item. */
function positionOf(block: Block, item: AnswerItem): ReadEvent {
  if (block.type === 'text') {
    return { content_index: itemsOf(item.content).length };
  }
  return block.type === 'reasoning' ? { summary_index: 0 } : {};
}

/** A block before its first delta. */
function emptied(block: Block): Block {
  if (block.type === 'text') return { type: 'text', text: '', ...(block.refusal && { refusal: true }) };
  return block.type === 'reasoning' ? { type: 'reasoning', text: '' } : block;
}

/** The complete state of an open block. */
function complete({ block, parts, annotations }: OpenBlock, { signature }: BlockEnd): Block {
  const grown = parts.join('');
  switch (block.type) {
    case 'text':
      return {
        ...block,
        text: grown,
        ...(annotations.length > 0 && { annotations: [...(block.annotations ?? []), ...annotations] }),
      };
    case 'reasoning':
      return { ...block, text: grown, ...(signature !== undefined && { signature }) };
    case 'tool-call':
      return grown === '' ? block : { ...block, input: { json: grown } };
    default:
      return block;
  }
}

function textOf(block: Block): string {
  if (block.type === 'tool-call') return inputJsonOf(block);
  return block.type === 'text' || block.type === 'reasoning' ? block.text : '';
}
