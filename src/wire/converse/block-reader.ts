import { type JsonObject, isJsonObject } from '#base';
import type { Block } from '#canonical';
import type { BlockLane } from '../block-queue.ts';
import { textOf } from '../read-answer.ts';

/** Reads one block of a stream. A call opens at once; text and reasoning open with their first content. */
export class BlockReader {
  readonly #lane: BlockLane;
  readonly #block: Block;
  #signature: string | undefined;
  readonly #redacted: string[] = [];

  constructor(lane: BlockLane, block: Block) {
    this.#lane = lane;
    this.#block = block;
    if (block.type === 'tool-call') lane.open(block);
  }

  get kind(): Block['type'] {
    return this.#block.type;
  }

  grow(delta: JsonObject): void {
    if (this.#lane.isFinished) return;
    const { text, toolUse, reasoningContent: reasoning, citation } = delta;
    if (this.#block.type === 'text') {
      this.#append(text);
      if (isJsonObject(citation) && this.#lane.isOpen)
        this.#lane.addAnnotation({ format: 'converse', value: citation });
    } else if (this.#block.type === 'reasoning' && isJsonObject(reasoning)) {
      this.#append(reasoning['text']);
      if (textOf(reasoning['signature']) !== '') this.#signature = textOf(reasoning['signature']);
      if (textOf(reasoning['redactedContent']) !== '')
        this.#redacted.push(textOf(reasoning['redactedContent']));
    } else if (isJsonObject(toolUse)) {
      this.#append(toolUse['input']);
    }
  }

  close(): void {
    if (this.#lane.isFinished) return;
    this.#open();
    this.#lane.close(this.#signature);
    this.#lane.finish();
  }

  #append(text: unknown): void {
    if (typeof text !== 'string' || text === '') return;
    this.#open();
    this.#lane.addText(text);
  }

  #open(): void {
    if (this.#lane.isOpen) return;
    const redacted = this.#redacted.join('');
    const isRedacted = this.#block.type === 'reasoning' && redacted !== '';
    this.#lane.open(isRedacted ? { ...this.#block, redacted } : this.#block);
  }
}
