import { type JsonObject, isJsonObject, parseJsonObject } from '#base';
import type { Block, GenerationEvent } from '#canonical';
import { inputJsonOf } from '#canonical';
import { type AnswerContext, decodeAnswerBlock } from './decode-answer.ts';

/** One content block of a stream while it grows; its events wait here until the blocks before it are closed. */
export class BlockSlot {
  readonly #index: number;
  readonly #raw: JsonObject;
  readonly #block: Block;
  #events: GenerationEvent[] = [];
  #signature: string | undefined;
  #inputParts: string[] = [];
  #hasInput = false;
  isClosed = false;

  constructor(index: number, raw: JsonObject, context: AnswerContext) {
    this.#index = index;
    this.#block = decodeAnswerBlock(raw, context);
    // A block of its own format alone grows in the copy it will be replayed from.
    this.#raw = this.#block.type === 'native' ? { ...raw } : raw;
    this.#open();
  }

  /** The events since the last call. */
  drain(): GenerationEvent[] {
    const events = this.#events;
    this.#events = [];
    return events;
  }

  grow(delta: JsonObject): void {
    if (this.isClosed) return;
    switch (this.#block.type) {
      case 'text':
        if (delta['type'] === 'text_delta') this.#push(delta['text']);
        else if (delta['type'] === 'citations_delta') this.#annotate(delta['citation']);
        break;
      case 'reasoning':
        if (delta['type'] === 'thinking_delta') this.#push(delta['thinking']);
        else if (typeof delta['signature'] === 'string') this.#signature = delta['signature'];
        break;
      case 'tool-call':
        if (delta['type'] === 'input_json_delta')
          this.#hasInput = this.#push(delta['partial_json']) || this.#hasInput;
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
    if (this.isClosed) return;
    this.isClosed = true;
    const index = this.#index;
    if (this.#block.type === 'native') this.#completeNative();
    if (this.#block.type === 'tool-call' && !this.#hasInput) this.#pushOpeningInput(inputJsonOf(this.#block));
    const signature = this.#signature ?? '';
    this.#events.push(
      signature === '' ? { type: 'block-end', index } : { type: 'block-end', index, signature },
    );
  }

  #open(): void {
    const block = this.#block;
    const index = this.#index;
    if (block.type === 'text') {
      const { annotations = [], text, ...rest } = block;
      this.#events.push({ type: 'block-start', index, block: { ...rest, text: '' } });
      for (const annotation of annotations)
        this.#events.push({ type: 'block-annotation', index, annotation });
      this.#push(text);
    } else if (block.type === 'reasoning') {
      const { signature, text, ...rest } = block;
      this.#signature = signature;
      this.#events.push({ type: 'block-start', index, block: { ...rest, text: '' } });
      this.#push(text);
    } else if (block.type === 'tool-call') {
      this.#events.push({ type: 'block-start', index, block: { ...block, input: { json: '' } } });
    } else if (block.type === 'media') {
      this.#events.push({ type: 'block-start', index, block });
    } else if (block.type === 'native') {
      this.#relay({ type: 'content_block_start', content_block: { ...block.value } });
    }
  }

  /** A block of this format alone reaches its clients while it grows; all others only get it whole. */
  #relay(value: JsonObject): void {
    this.#events.push({ type: 'relay', format: 'messages', value: { ...value, index: this.#index } });
  }

  #push(text: unknown): boolean {
    if (typeof text !== 'string' || text === '') return false;
    this.#events.push({ type: 'block-delta', index: this.#index, text });
    return true;
  }

  #annotate(citation: unknown): void {
    if (!isJsonObject(citation)) return;
    const annotation = { format: 'messages' as const, value: citation };
    this.#events.push({ type: 'block-annotation', index: this.#index, annotation });
  }

  /** A call that opened with its arguments (programmatic calls do) and got no others. */
  #pushOpeningInput(json: string): void {
    if (json !== '{}') this.#push(json);
  }

  /** Deltas of blocks this format does not name: texts are appended, anything else replaces. */
  #growNative({ partial_json: input, ...fields }: JsonObject): void {
    if (typeof input === 'string') this.#inputParts.push(input);
    for (const [name, value] of Object.entries(fields)) {
      if (name === 'type' || name === '__proto__') continue;
      const before = this.#raw[name];
      this.#raw[name] = typeof before === 'string' && typeof value === 'string' ? before + value : value;
    }
  }

  #completeNative(): void {
    const json = this.#inputParts.join('');
    const input = json === '' ? undefined : parseJsonObject(json);
    if (input) this.#raw['input'] = input;
    this.#relay({ type: 'content_block_stop' });
    const block: Block = { type: 'native', format: 'messages', value: this.#raw };
    this.#events.push({ type: 'block-start', index: this.#index, block, relayed: true });
  }
}
