import type { Annotation, Block, BlockEnd, BlockStart, GenerationEvent, Relay } from '#canonical';
import { CallIds } from '../tools/call-ids.ts';

type BlockEvent = Extract<GenerationEvent, { index: number }>;

/**
 * A part of an answer that its upstream sends independently: its blocks in order. Events leave the queue once earlier
 * lanes are finished; only then does a block get its index.
 */
export class BlockLane {
  readonly #queue: BlockQueue;
  /** Events held until earlier lanes are finished. */
  #held: (BlockEvent | Relay)[] | undefined;
  next: BlockLane | undefined;
  /** The type of the open block. */
  openType: Block['type'] | undefined;
  isFinished = false;
  /** Whether the client also gets the blocks as `relay` events. */
  isRelayed = false;

  constructor(queue: BlockQueue) {
    this.#queue = queue;
  }

  get isOpen(): boolean {
    return this.openType !== undefined;
  }

  get isLast(): boolean {
    return this.next === undefined;
  }

  /** Opens a block and closes the one before it; a call gets an id that no other call of the answer has. */
  open(block: Block): void {
    this.close();
    this.openType = block.type;
    const start: BlockStart = { type: 'block-start', index: 0, block: this.#queue.claimId(block) };
    if (this.isRelayed) start.relayed = true;
    this.#give(start);
  }

  addText(text: string): void {
    if (text !== '') this.#give({ type: 'block-delta', index: 0, text });
  }

  addAnnotation(annotation: Annotation): void {
    this.#give({ type: 'block-annotation', index: 0, annotation });
  }

  close(signature?: string): void {
    if (!this.isOpen) return;
    this.openType = undefined;
    const end: BlockEnd = { type: 'block-end', index: 0 };
    if (signature !== undefined) end.signature = signature;
    this.#give(end);
  }

  /** Adds a complete block. */
  put(block: Block): void {
    this.open(block);
    this.close();
  }

  relay(relay: Relay): void {
    this.#give(relay);
  }

  finish(): void {
    this.close();
    this.isFinished = true;
    this.#queue.advance();
  }

  get held(): readonly (BlockEvent | Relay)[] {
    return this.#held ?? [];
  }

  #give(event: BlockEvent | Relay): void {
    if (this.#queue.isFirst(this)) this.#queue.write(event);
    else (this.#held ??= []).push(event);
  }
}

/**
 * The events of an answer. Lanes that grow in parallel are written one after the other: the first unfinished one at
 * once, the others later, so at most one block is open at a time.
 */
export class BlockQueue {
  #ids: CallIds | undefined;
  #first: BlockLane | undefined;
  #last: BlockLane | undefined;
  #events: GenerationEvent[] = [];
  #index = 0;
  hasCalls = false;
  hasRefusal = false;

  addLane(): BlockLane {
    const lane = new BlockLane(this);
    if (this.#first && this.#last) this.#last.next = lane;
    else this.#first = lane;
    this.#last = lane;
    return lane;
  }

  /** The block, a call with an id that no other call of the answer has. */
  claimId(block: Block): Block {
    return block.type === 'tool-call' ? (this.#ids ??= new CallIds()).claimOf(block) : block;
  }

  isFirst(lane: BlockLane): boolean {
    return this.#first === lane;
  }

  /** Adds an event that belongs to no block. */
  push(event: GenerationEvent): void {
    this.#events.push(event);
  }

  /** The events since the last call. */
  drain(): GenerationEvent[] {
    const events = this.#events;
    this.#events = [];
    return events;
  }

  /** Releases the next lanes once those before them are finished. */
  advance(): void {
    while (this.#first?.isFinished) {
      this.#first = this.#first.next;
      for (const event of this.#first?.held ?? []) this.write(event);
    }
  }

  write(event: BlockEvent | Relay): void {
    if (event.type !== 'relay') event.index = this.#index;
    if (event.type === 'block-start') this.#recognize(event.block);
    else if (event.type === 'block-end') this.#index += 1;
    this.#events.push(event);
  }

  #recognize(block: Block): void {
    if (block.type === 'tool-call') this.hasCalls = true;
    else if (block.type === 'text' && block.refusal) this.hasRefusal = true;
  }
}
