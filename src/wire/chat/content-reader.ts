import type { Annotation, MediaBlock, ReasoningBlock } from '#canonical';
import type { BlockLane, BlockQueue } from '../block-queue.ts';

type Kind = 'text' | 'refusal' | 'reasoning';

/** Reads text, refusals, reasoning and images: a block grows until other content or a tool call follows. */
export class ContentReader {
  readonly #queue: BlockQueue;
  #lane: BlockLane | undefined;
  #kind: Kind | undefined;
  #issuer: string | undefined;
  /** Citations that arrived before any text. */
  strayAnnotations: Annotation[] = [];

  constructor(queue: BlockQueue) {
    this.#queue = queue;
  }

  addText(kind: Kind, text: string): void {
    if (text === '') return;
    if (this.#lane && this.#kind === kind) {
      this.#lane.addText(text);
      return;
    }
    const lane = this.#begin(kind);
    if (kind === 'reasoning') lane.open({ type: 'reasoning', text: '' });
    else lane.open({ type: 'text', text: '', ...(kind === 'refusal' && { refusal: true }) });
    lane.addText(text);
    if (kind !== 'text') return;
    for (const annotation of this.strayAnnotations.splice(0)) lane.addAnnotation(annotation);
  }

  /** Reasoning of a known issuer; its signature ends it. */
  addSigned({ text, signature, redacted, issuer }: ReasoningBlock): void {
    const isSame = this.#kind === 'reasoning' && this.#issuer === issuer && redacted === undefined;
    // Streams send the text in pieces, then again with the signature.
    if (!isSame) {
      const lane = this.#begin('reasoning');
      this.#issuer = issuer;
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
    if (this.#lane && this.#kind === 'text') this.#lane.addAnnotation(annotation);
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
    this.#lane?.close(signature);
    this.#lane?.finish();
    this.#lane = undefined;
    this.#kind = undefined;
  }

  #begin(kind: Kind): BlockLane {
    this.#lane = this.addLane();
    this.#kind = kind;
    this.#issuer = undefined;
    return this.#lane;
  }
}
