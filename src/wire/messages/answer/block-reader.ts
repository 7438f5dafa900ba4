import { type JsonObject, isJsonObject, parseJsonObject } from '#base';
import { type Block, inputJsonOf } from '#canonical';
import type { BlockLane } from '../../answer/block-queue.ts';
import type { MessagesDelta, MessagesDeltaType, MessagesEvent } from './answer-schema.ts';
import { type AnswerContext, decodeAnswerBlock } from './decode-answer-block.ts';
import type { MessagesBlock } from '../block-schema.ts';
import type { Members } from '../../body/unchecked.ts';

/** Where a block is written: its lane, and its index in the answer. */
interface BlockPlace {
  lane: BlockLane;
  index: number;
}

/** Reads one content block of a stream. */
export class MessagesBlockReader {
  readonly #lane: BlockLane;
  readonly #index: number;
  readonly #raw: Members<MessagesBlock>;
  readonly #block: Block;
  #signature: string | undefined;
  #inputParts: string[] = [];
  #hasInput = false;

  constructor({ lane, index }: BlockPlace, raw: Members<MessagesBlock>, context: AnswerContext) {
    this.#lane = lane;
    this.#index = index;
    this.#block = decodeAnswerBlock(raw, context);
    // A block only this format has grows in a copy: its start is relayed as it came.
    this.#raw = { ...raw };
    this.#open();
  }

  grow(delta: Members<MessagesDelta>): void {
    if (this.#lane.isFinished) return;
    const type = delta.type as MessagesDeltaType | undefined;
    switch (this.#block.type) {
      case 'text':
        if (type === 'text_delta') this.#addText(delta.text);
        else if (type === 'citations_delta') this.#annotate(delta.citation);
        break;
      case 'reasoning':
        if (type === 'thinking_delta') this.#addText(delta.thinking);
        else if (typeof delta.signature === 'string') this.#signature = delta.signature;
        break;
      case 'tool-call':
        if (type === 'input_json_delta') this.#addInput(delta.partial_json);
        break;
      case 'native':
        this.#relay({ type: 'content_block_delta', delta });
        this.#growNative(delta);
        break;
      case 'media':
      case 'tool-result':
    }
  }

  close(): void {
    if (this.#lane.isFinished) return;
    if (this.#block.type === 'native') this.#completeNative();
    if (this.#block.type === 'tool-call' && !this.#hasInput) this.#addOpeningInput(inputJsonOf(this.#block));
    this.#lane.close(this.#signature === '' ? undefined : this.#signature);
    this.#lane.finish();
  }

  #open(): void {
    const block = this.#block;
    if (block.type === 'text') {
      const { annotations = [], text, ...rest } = block;
      this.#lane.open({ ...rest, text: '' });
      for (const annotation of annotations) this.#lane.addAnnotation(annotation);
      this.#lane.addText(text);
    } else if (block.type === 'reasoning') {
      const { signature, text, ...rest } = block;
      this.#signature = signature;
      this.#lane.open({ ...rest, text: '' });
      this.#lane.addText(text);
    } else if (block.type === 'tool-call') {
      this.#lane.open({ ...block, input: { json: '' } });
    } else if (block.type === 'media') {
      this.#lane.open(block);
    } else if (block.type === 'native') {
      this.#lane.isRelayed = true;
      this.#relay({ type: 'content_block_start', content_block: block.value });
    }
  }

  /** Clients of this format get a format-specific block as it grows; all others get it whole. */
  #relay(value: Members<MessagesEvent>): void {
    this.#lane.relay({ type: 'relay', format: 'messages', value: { ...value, index: this.#index } });
  }

  #addText(text: unknown): void {
    if (typeof text === 'string') this.#lane.addText(text);
  }

  #addInput(json: unknown): void {
    if (typeof json !== 'string' || json === '') return;
    this.#hasInput = true;
    this.#lane.addText(json);
  }

  #annotate(citation: unknown): void {
    if (isJsonObject(citation)) this.#lane.addAnnotation({ format: 'messages', value: citation });
  }

  /** A call that opened with its arguments (programmatic calls do) and got no others. */
  #addOpeningInput(json: string): void {
    if (json !== '{}') this.#lane.addText(json);
  }

  /** Deltas of unknown blocks: texts are appended, other values replaced. */
  #growNative({ partial_json: input, ...fields }: Members<MessagesDelta>): void {
    const raw: JsonObject = this.#raw;
    if (typeof input === 'string') this.#inputParts.push(input);
    for (const [name, value] of Object.entries(fields)) {
      if (name === 'type' || name === '__proto__') continue;
      const before = raw[name];
      raw[name] = typeof before === 'string' && typeof value === 'string' ? before + value : value;
    }
  }

  #completeNative(): void {
    const json = this.#inputParts.join('');
    const input = json === '' ? undefined : parseJsonObject(json);
    if (input) this.#raw.input = input;
    this.#relay({ type: 'content_block_stop' });
    this.#lane.open({ type: 'native', format: 'messages', value: this.#raw });
  }
}
