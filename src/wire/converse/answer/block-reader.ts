import type { Block } from '#canonical';
import type { BlockLane } from '../../answer/block-queue.ts';
import { textOf } from '../../body/read-answer.ts';
import { isObject } from '../../body/read-field.ts';
import type { Members } from '../../body/unchecked.ts';
import type { ConverseDelta } from './answer-schema.ts';

/** Reads one block of a stream. A call opens at once; text and reasoning open with their first content. */
export class ConverseBlockReader {
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

  grow(delta: Members<ConverseDelta>): void {
    if (this.#lane.isFinished) return;
    const { text, toolUse, reasoningContent: reasoning, citation } = delta;
    if (this.#block.type === 'text') {
      this.#append(text);
      if (isObject(citation) && this.#lane.isOpen)
        this.#lane.addAnnotation({ format: 'converse', value: citation });
    } else if (this.#block.type === 'reasoning' && isObject(reasoning)) {
      const { text: thought, signature, redactedContent: redacted } = reasoning;
      this.#append(thought);
      if (textOf(signature) !== '') this.#signature = textOf(signature);
      if (textOf(redacted) !== '') this.#redacted.push(textOf(redacted));
    } else if (isObject(toolUse)) {
      this.#append(toolUse.input);
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
