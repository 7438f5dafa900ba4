import type { JsonObject, SseMessage } from '#base';
import type {
  Annotation,
  Block,
  GenerationEnd,
  GenerationEvent,
  GenerationStart,
  TextBlock,
} from '#canonical';
import { toCallerError } from '#errors';
import type { Choice, ReplyContext, StreamEncoder } from '../../contract.ts';
import { describeContinued } from '../../answer/continued.ts';
import { PartWriter } from './encode-parts.ts';
import { closeCandidate, isBlocked, splitExtra } from './encode-result.ts';
import { encodeError } from './error.ts';
import { encodeUsage } from './usage.ts';

/** Writes events as chunks, each a `GenerateContentResponse`: text as it arrives, a call whole in one part. */
export class GeminiStreamEncoder implements StreamEncoder {
  readonly #context: ReplyContext;
  readonly #choice: Choice | undefined;
  readonly #writer: PartWriter;
  /** What each chunk ends with: the model and the id of the answer. */
  #chunkEnd = '';
  /** What follows the parts of a chunk. */
  #partsEnd = '';
  #open: Block | undefined;
  /** Of the open block. */
  #texts: string[] = [];
  #annotations: Annotation[] = [];
  #blocks = 0;
  #hasEnded = false;

  constructor(context: ReplyContext, showsThoughts: boolean, choice?: Choice) {
    this.#context = context;
    this.#choice = choice;
    this.#writer = new PartWriter(showsThoughts);
  }

  push(event: GenerationEvent): SseMessage[] {
    if (this.#hasEnded) return [];
    switch (event.type) {
      case 'generation-start':
        this.#start(event);
        return [];
      case 'block-start':
        return this.#openBlock(event.block);
      case 'block-delta':
        return this.#addDelta(event.text);
      case 'block-annotation':
        this.#annotations.push(event.annotation);
        return [];
      case 'block-end':
        return this.#closeBlock(event.signature);
      case 'relay':
      case 'tools-used':
        return [];
      case 'generation-end':
        this.#hasEnded = true;
        return [this.#end(event)];
      case 'generation-error':
        this.#hasEnded = true;
        return [{ data: JSON.stringify(encodeError(toCallerError(event.failure))) }];
    }
  }

  ping(): string {
    return ': ping\n\n';
  }

  #start({ id }: Pick<GenerationStart, 'id'>): void {
    const { answerId, model } = this.#context;
    const members = JSON.stringify({
      modelVersion: model,
      responseId: id === '' || this.#choice ? answerId : id,
    });
    this.#chunkEnd = `,${members.slice(1)}`;
    this.#partsEnd = `],"role":"model"},"index":${this.#choice?.index ?? 0}}]${this.#chunkEnd}`;
  }

  #frame(parts: readonly JsonObject[]): SseMessage[] {
    if (parts.length === 0) return [];
    const text = JSON.stringify(parts);
    return [{ data: `{"candidates":[{"content":{"parts":${text.slice(0, -1)}${this.#partsEnd}` }];
  }

  #openBlock(block: Block): SseMessage[] {
    this.#open = block;
    this.#texts = [];
    this.#blocks += 1;
    if (block.type === 'text' || block.type === 'reasoning') return this.#addDelta(block.text);
    return block.type === 'tool-call' ? [] : this.#frame(this.#writer.encode(block));
  }

  #addDelta(text: string): SseMessage[] {
    const block = this.#open;
    if (!block || text === '') return [];
    if (block.type === 'text') return this.#frame([...this.#writer.flush(), { text }]);
    this.#texts.push(text);
    if (block.type !== 'reasoning' || !this.#writer.showsThoughts) return [];
    return this.#frame([...this.#writer.flush(), { text, thought: true }]);
  }

  #closeBlock(signature: string | undefined): SseMessage[] {
    const block = this.#open;
    this.#open = undefined;
    const text = this.#texts.join('');
    if (block?.type === 'tool-call')
      return this.#frame(this.#writer.encode(text === '' ? block : { ...block, input: { json: text } }));
    if (block?.type !== 'reasoning') return [];
    const signed = { ...block, text, ...(signature !== undefined && { signature }) };
    // The text has already been sent; only its signature is new.
    return this.#frame(this.#writer.encode(signed).filter((part) => part.text === ''));
  }

  #end(event: GenerationEnd): SseMessage {
    if (this.#chunkEnd === '') this.#start({ id: '' });
    const { top, usage: leftovers } = splitExtra(event.extra?.gemini);
    const cited: TextBlock = { type: 'text', text: '', annotations: this.#annotations };
    const parts = this.#writer.flush();
    const candidate = {
      content: { parts: parts.length === 0 ? [{ text: '' }] : parts, role: 'model' },
      ...closeCandidate({ ...event, blocks: [cited] }, this.#writer.hasMalformedCall),
      index: this.#choice?.index ?? 0,
    };
    const isRefused = this.#blocks === 0 && isBlocked({ blocks: [] }, top);
    const head = JSON.stringify({
      ...(!isRefused && { candidates: [candidate] }),
      ...top,
      ...(event.usage && { usageMetadata: encodeUsage(event.usage, leftovers) }),
      ...describeContinued(event.finish, this.#context),
    });
    return { data: `${head.slice(0, -1)}${this.#chunkEnd}` };
  }
}
