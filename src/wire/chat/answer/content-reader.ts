import type { Annotation, MediaBlock, ReasoningBlock } from '#canonical';
import type { BlockLane, BlockQueue } from '../../answer/block-queue.ts';

type Kind = 'text' | 'refusal' | 'reasoning';

/** Reads text, refusals, reasoning and images: a block grows until other content or a tool call follows. */
export class ContentReader {
  readonly #queue: BlockQueue;
  #open: { kind: Kind; lane: BlockLane; issuer: string | undefined } | undefined;
  /** Citations that arrived before any text. */
  strayAnnotations: Annotation[] = [];

  constructor(queue: BlockQueue) {
    this.#queue = queue;
  }

  addText(kind: Kind, text: string): void {
    if (text === '') return;
    if (this.#open?.kind === kind) {
      this.#open.lane.addText(text);
      return;
    }
    const lane = this.#begin(kind);
    if (kind === 'reasoning') lane.open({ type: 'reasoning', text: '' });
    else if (kind === 'refusal') lane.open({ type: 'text', text: '', refusal: true });
    else lane.open({ type: 'text', text: '' });
    lane.addText(text);
    if (kind !== 'text') return;
    for (const annotation of this.strayAnnotations.splice(0)) lane.addAnnotation(annotation);
  }

  /** Reasoning of a known issuer; its signature ends it. */
  addSigned({ text, signature, redacted, issuer }: ReasoningBlock): void {
    const isSame = this.#open?.kind === 'reasoning' && this.#open.issuer === issuer && redacted === undefined;
    // Streams send the text in pieces, then again with the signature.
    if (!isSame) {
      const lane = this.#begin('reasoning', issuer);
      lane.open({
        type: 'reasoning',
        text: '',
        ...(redacted !== undefined && { redacted }),
        ...(issuer && { issuer }),
      });
      lane.addText(text);
    }
    if (signature !== undefined || redacted !== undefined) this.finish(signature);
  }

  addAnnotation(annotation: Annotation): void {
    if (this.#open?.kind === 'text') this.#open.lane.addAnnotation(annotation);
    else this.strayAnnotations.push(annotation);
  }

  addWhole(block: MediaBlock): void {
    const lane = this.addLane();
    lane.put(block);
    lane.finish();
  }

  /** A lane for what follows the content so far. */
  addLane(): BlockLane {
    this.finish();
    return this.#queue.addLane();
  }

  finish(signature?: string): void {
    this.#open?.lane.close(signature);
    this.#open?.lane.finish();
    this.#open = undefined;
  }

  #begin(kind: Kind, issuer?: string): BlockLane {
    const lane = this.addLane();
    this.#open = { kind, lane, issuer };
    return lane;
  }
}
