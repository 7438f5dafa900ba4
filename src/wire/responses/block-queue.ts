import type { Annotation, Block, GenerationEvent } from '#canonical';

type Step =
  | { type: 'open'; block: Block; relayed?: true }
  | { type: 'text'; text: string }
  | { type: 'annotation'; annotation: Annotation }
  | { type: 'close'; signature?: string };

/** The blocks of one output item, in order. */
export class ItemLane {
  readonly #queue: BlockQueue;
  /** What waits until the items before this one are done. */
  readonly waiting: Step[] = [];
  isOpen = false;
  isDone = false;
  /** Set where the item reaches the client as `relay` events. */
  isRelayed = false;

  constructor(queue: BlockQueue) {
    this.#queue = queue;
  }

  open(block: Block): void {
    this.isOpen = true;
    this.#queue.take(this, { type: 'open', block, ...(this.isRelayed && { relayed: true }) });
  }

  addText(text: string): void {
    if (text !== '') this.#queue.take(this, { type: 'text', text });
  }

  addAnnotation(annotation: Annotation): void {
    this.#queue.take(this, { type: 'annotation', annotation });
  }

  close(signature?: string): void {
    if (!this.isOpen) return;
    this.isOpen = false;
    this.#queue.take(this, { type: 'close', ...(signature !== undefined && { signature }) });
  }

  finish(): void {
    this.close();
    this.isDone = true;
    this.#queue.advance();
  }
}

/**
 * Puts items that arrive side by side one after the other: the first that is not done writes at once, the others wait.
 * Here at most one block is open at a time.
 */
export class BlockQueue {
  readonly #lanes: ItemLane[] = [];
  #events: GenerationEvent[] = [];
  #index = 0;
  hasCalls = false;
  hasRefusal = false;

  addLane(): ItemLane {
    const lane = new ItemLane(this);
    this.#lanes.push(lane);
    return lane;
  }

  /** What came about since it was last asked. */
  drain(): GenerationEvent[] {
    const events = this.#events;
    this.#events = [];
    return events;
  }

  take(lane: ItemLane, step: Step): void {
    if (lane === this.#lanes[0]) this.#write(step);
    else lane.waiting.push(step);
  }

  /** Lets the next items write once those before them are done. */
  advance(): void {
    while (this.#lanes[0]?.isDone) {
      this.#lanes.shift();
      for (const step of this.#lanes.at(0)?.waiting.splice(0) ?? []) this.#write(step);
    }
  }

  #write(step: Step): void {
    const index = this.#index;
    switch (step.type) {
      case 'open':
        this.#note(step.block);
        this.#events.push({
          type: 'block-start',
          index,
          block: step.block,
          ...(step.relayed && { relayed: true }),
        });
        break;
      case 'text':
        this.#events.push({ type: 'block-delta', index, text: step.text });
        break;
      case 'annotation':
        this.#events.push({ type: 'block-annotation', index, annotation: step.annotation });
        break;
      case 'close': {
        const { signature } = step;
        this.#events.push({ type: 'block-end', index, ...(signature !== undefined && { signature }) });
        this.#index += 1;
      }
    }
  }

  #note(block: Block): void {
    if (block.type === 'tool-call') this.hasCalls = true;
    else if (block.type === 'text' && block.refusal) this.hasRefusal = true;
  }
}
