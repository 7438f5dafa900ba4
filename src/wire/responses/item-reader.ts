import type { JsonObject } from '#base';

/** What must be remembered of a request to read its answer. */
export interface AnswerContext {
  /** The provider's name for the model, where the answer has none. */
  model: string;
  /** Whose encrypted reasoning it is. */
  issuer: string;
  /** Whether encrypted reasoning was asked for. */
  isEncrypted: boolean;
  /** The tools of the request, by their own names. */
  toolNames: ReadonlySet<string>;
  restoreName(name: string): string;
  /** Whether the client speaks this format too, and no call needs to be rewritten: it gets the items as they came. */
  relays: boolean;
}

/** Reads one output item: the events about it, then the item as it ended. */
export interface ItemReader {
  /** The item as it was announced, or a later and fuller state of it. */
  begin(item: JsonObject): void;
  /** An event about the item. */
  read(type: string, event: JsonObject): void;
  /** The whole item: what its events left out is made up for. */
  end(item: JsonObject): void;
  /** The answer ended and the item did not. */
  abandon(): void;
  /** How long the text is so far that an event is about, where the item has texts. */
  lengthAt?(event: JsonObject): number;
}

/** A text that arrives in deltas and once more as a whole. */
export class StreamedText {
  #streamed = '';

  get length(): number {
    return this.#streamed.length;
  }

  get isEmpty(): boolean {
    return this.#streamed === '';
  }

  add(text: string): void {
    this.#streamed += text;
  }

  /** The part that no delta sent; empty where the whole does not begin with the deltas. */
  findRest(whole: unknown): string {
    if (typeof whole !== 'string' || whole.length <= this.#streamed.length) return '';
    return whole.startsWith(this.#streamed) ? whole.slice(this.#streamed.length) : '';
  }
}

/** The members of an item that only this format has and wants back. */
export function keepTexts(item: JsonObject, names: readonly string[]): { extra?: { responses: JsonObject } } {
  const kept: JsonObject = {};
  for (const name of names) if (typeof item[name] === 'string') kept[name] = item[name];
  return Object.keys(kept).length > 0 ? { extra: { responses: kept } } : {};
}
