import { type JsonObject, isJsonObject } from '#base';
import type { Block, GenerationEvent } from '#canonical';
import { toText } from './decode-result.ts';

/** One block of a stream while it grows; its events wait here until the blocks before it are closed. */
export class BlockSlot {
  readonly #index: number;
  readonly #block: Block;
  #events: GenerationEvent[] = [];
  #signature: string | undefined;
  #redacted: string[] = [];
  #isTold = false;
  isClosed = false;

  constructor(index: number, block: Block) {
    this.#index = index;
    this.#block = block;
    if (block.type === 'tool-call') this.#tell();
  }

  get kind(): Block['type'] {
    return this.#block.type;
  }

  /** The events since the last call. */
  drain(): GenerationEvent[] {
    const events = this.#events;
    this.#events = [];
    return events;
  }

  grow(delta: JsonObject): void {
    if (this.isClosed) return;
    const { text, toolUse, reasoningContent: reasoning, citation } = delta;
    if (this.#block.type === 'text') {
      this.#append(text);
      if (isJsonObject(citation) && this.#isTold)
        this.#events.push({
          type: 'block-annotation',
          index: this.#index,
          annotation: { format: 'converse', value: citation },
        });
    } else if (this.#block.type === 'reasoning' && isJsonObject(reasoning)) {
      this.#append(reasoning['text']);
      if (toText(reasoning['signature']) !== '') this.#signature = toText(reasoning['signature']);
      if (toText(reasoning['redactedContent']) !== '')
        this.#redacted.push(toText(reasoning['redactedContent']));
    } else if (isJsonObject(toolUse)) {
      this.#append(toolUse['input']);
    }
  }

  close(): void {
    if (this.isClosed) return;
    this.isClosed = true;
    this.#tell();
    const signature = this.#signature;
    this.#events.push({
      type: 'block-end',
      index: this.#index,
      ...(signature !== undefined && { signature }),
    });
  }

  #append(text: unknown): void {
    if (typeof text !== 'string' || text === '') return;
    this.#tell();
    this.#events.push({ type: 'block-delta', index: this.#index, text });
  }

  #tell(): void {
    if (this.#isTold) return;
    this.#isTold = true;
    const redacted = this.#redacted.join('');
    const block = redacted === '' ? this.#block : { ...this.#block, redacted };
    this.#events.push({ type: 'block-start', index: this.#index, block });
  }
}
