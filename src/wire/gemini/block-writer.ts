import type { JsonObject } from '#base';
import type { Annotation, Block, GenerationEvent } from '#canonical';

/** Puts the parts of an answer into blocks: text and thoughts grow while parts of their kind follow, all else is whole. */
export class BlockWriter {
  readonly #issuer: string;
  #index = 0;
  #open: 'text' | 'reasoning' | 'tool-call' | undefined;
  hasCalls = false;

  constructor(issuer: string) {
    this.#issuer = issuer;
  }

  get isTextOpen(): boolean {
    return this.#open === 'text';
  }

  get hasBlocks(): boolean {
    return this.#index > 0 || this.#open !== undefined;
  }

  addText(kind: 'text' | 'reasoning', text: string, events: GenerationEvent[]): void {
    if (text === '') return;
    if (this.#open !== kind) {
      this.close(events);
      this.#start({ type: kind, text: '' }, events);
      this.#open = kind;
    }
    events.push({ type: 'block-delta', index: this.#index, text });
  }

  /** A thought with its signature, or a signature that stands alone: it signs the call behind it, or the answer. */
  addSigned(text: string, signature: string, events: GenerationEvent[]): void {
    this.close(events);
    this.#start({ type: 'reasoning', text: '', issuer: this.#issuer }, events);
    if (text !== '') events.push({ type: 'block-delta', index: this.#index, text });
    events.push({ type: 'block-end', index: this.#index, signature });
    this.#index += 1;
  }

  addAnnotation(annotation: Annotation, events: GenerationEvent[]): void {
    events.push({ type: 'block-annotation', index: this.#index, annotation });
  }

  openCall(call: { id: string; name: string }, events: GenerationEvent[]): void {
    this.close(events);
    this.hasCalls = true;
    this.#start({ type: 'tool-call', ...call, input: { json: '' } }, events);
    this.#open = 'tool-call';
  }

  /** The arguments of the open call, all at once. */
  closeCall(json: string, events: GenerationEvent[]): void {
    events.push({ type: 'block-delta', index: this.#index, text: json });
    this.close(events);
  }

  addWhole(block: Block, events: GenerationEvent[]): void {
    this.close(events);
    this.#start(block, events);
    events.push({ type: 'block-end', index: this.#index });
    this.#index += 1;
  }

  addNative(value: JsonObject, events: GenerationEvent[]): void {
    this.addWhole({ type: 'native', format: 'gemini', value }, events);
  }

  close(events: GenerationEvent[]): void {
    if (this.#open === undefined) return;
    events.push({ type: 'block-end', index: this.#index });
    this.#open = undefined;
    this.#index += 1;
  }

  #start(block: Block, events: GenerationEvent[]): void {
    events.push({ type: 'block-start', index: this.#index, block });
  }
}
