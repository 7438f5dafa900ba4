import type { BlockStart, GenerationEvent, Usage } from '#canonical';
import type { UpstreamFailure } from '#errors';
import type { EventSink } from '../answer/delivery.ts';
import { sumUsages } from '#canonical';

/**
 * The delivery of a streamed answer that another provider can continue if it is cut: the failure is withheld, and
 * the rest continues the blocks that the caller has seen.
 */
export class ResumableDelivery implements EventSink {
  readonly #target: EventSink;
  #text = '';
  /** Whether the caller has seen nothing but text; calls, reasoning and citations cannot be continued. */
  #isPlain = true;
  #failure: UpstreamFailure | undefined;
  /** What earlier providers reported; present once the answer continues at another. */
  #earlier: Usage | undefined;
  /** The block that the caller has seen begin and not end, by the caller's count. */
  #open: number | undefined;
  /** Blocks the caller has seen. */
  #count = 0;
  /** The caller's index of the provider's first block. */
  #offset = 0;
  /** White space at the end of the text: providers do not get it, and may write it again. */
  #space = '';

  constructor(target: EventSink) {
    this.#target = target;
  }

  get isReady(): boolean {
    return this.#target.isReady;
  }

  onReady(run: () => void): void {
    this.#target.onReady(run);
  }

  /** The text to continue; absent if the answer cannot be continued. */
  get text(): string | undefined {
    return this.#isPlain ? this.#text.trimEnd() : undefined;
  }

  /** From here the events are another provider's. */
  resume(earlier: Usage): void {
    this.#earlier = earlier;
    this.#offset = this.#open ?? this.#count;
    this.#space = this.#text.slice(this.#text.trimEnd().length);
  }

  /** Passes on the failure that was withheld: no provider continues the answer. */
  giveUp(): void {
    const failure = this.#failure;
    this.#failure = undefined;
    if (failure) this.#target.push([{ type: 'generation-error', failure }]);
  }

  push(events: readonly GenerationEvent[]): void {
    const seen: GenerationEvent[] = [];
    for (const event of events) this.#take(event, seen);
    if (seen.length > 0) this.#target.push(seen);
  }

  #take(event: GenerationEvent, seen: GenerationEvent[]): void {
    switch (event.type) {
      case 'generation-start':
        this.#failure = undefined;
        if (!this.#earlier) seen.push(event);
        break;
      case 'block-start':
        this.#start(event, seen);
        break;
      case 'block-delta':
        this.#append(event, seen);
        break;
      case 'block-annotation':
        this.#isPlain = false;
        seen.push({ ...event, index: event.index + this.#offset });
        break;
      case 'block-end':
        this.#open = undefined;
        seen.push({ ...event, index: event.index + this.#offset });
        break;
      case 'relay':
        this.#isPlain = false;
        // Its indices are those of the provider's answer.
        if (!this.#earlier) seen.push(event);
        break;
      case 'tools-used':
        break;
      case 'generation-end':
        this.#close(seen);
        seen.push(this.#earlier ? addEarlier(event, this.#earlier) : event);
        break;
      default:
        if (this.#isPlain) this.#failure = event.failure;
        else seen.push(event);
    }
  }

  /** The first text of another provider continues the open block. */
  #start(event: BlockStart, seen: GenerationEvent[]): void {
    const isText = event.block.type === 'text';
    if (!isText) this.#isPlain = false;
    if (this.#open !== undefined && isText) return;
    if (this.#close(seen)) this.#offset += 1;
    const index = event.index + this.#offset;
    this.#open = index;
    this.#count = index + 1;
    if (!this.#earlier) seen.push(event);
    else seen.push({ type: 'block-start', index, block: event.block });
  }

  #append(event: GenerationEvent & { type: 'block-delta' }, seen: GenerationEvent[]): void {
    const text = this.#space === '' ? event.text : this.#withoutSpace(event.text);
    if (this.#isPlain) this.#text += text;
    if (text !== '' || event.text === '') seen.push({ ...event, text, index: event.index + this.#offset });
  }

  /** The text without the white space that the caller has already. */
  #withoutSpace(text: string): string {
    let at = 0;
    while (at < text.length && at < this.#space.length && text[at] === this.#space[at]) at += 1;
    this.#space = at === text.length ? this.#space.slice(at) : '';
    return text.slice(at);
  }

  /** Ends the open block; returns whether there was one. */
  #close(seen: GenerationEvent[]): boolean {
    const index = this.#open;
    this.#open = undefined;
    if (index !== undefined) seen.push({ type: 'block-end', index });
    return index !== undefined;
  }
}

function addEarlier(event: GenerationEvent & { type: 'generation-end' }, earlier: Usage): GenerationEvent {
  const { parts: _, usage, finish, ...end } = event;
  return {
    ...end,
    finish: { ...finish, isContinued: true },
    ...(usage && { usage: sumUsages([earlier, usage]) }),
  };
}
