import type { JsonObject } from '#base';
import type { Block } from '#canonical';
import type { BlockLane } from '../../answer/block-queue.ts';
import type { AnswerItem, ReadEvent, ResponsesEventType } from './answer-schema.ts';
import type { AnswerNames } from '../../tools/tool-names.ts';

/** What reading an answer needs from its request. */
export interface AnswerContext {
  /** The provider's model name, used when the answer has none. */
  model: string;
  /** Issuer of encrypted reasoning. */
  issuer: string;
  /** Whether encrypted reasoning was requested. */
  isEncrypted: boolean;
  /** The names of the request's tools. */
  toolNames: ReadonlySet<string>;
  names: AnswerNames;
  /** Whether items are relayed unchanged: the client uses this format and no call needs rewriting. */
  relays: boolean;
}

/** Reads one output item: its events, then the complete item. */
export interface OutputItemReader {
  /** The announced item, or a later and more complete state of it. */
  begin(item: AnswerItem): void;
  read(type: ResponsesEventType, event: ReadEvent): void;
  /** The complete item, used to fill in what its events omitted. */
  end(item: AnswerItem): void;
  /** Called when the answer ends before the item. */
  abandon(): void;
  /** The arguments of a call that have arrived. */
  readonly received?: string;
  /** Current length of the text an event belongs to, for items with text. */
  lengthAt?(event: ReadEvent): number;
}

/** Reads an item once it is complete. */
export function createWholeReader(lane: BlockLane, decode: (item: AnswerItem) => Block): OutputItemReader {
  const ignore = (): void => undefined;
  return {
    begin: ignore,
    read: ignore,
    end: (item) => {
      lane.put(decode(item));
      lane.finish();
    },
    abandon: () => lane.finish(),
  };
}

/** Text that arrives in deltas and again as a whole. */
export class StreamedText {
  #streamed = '';

  get length(): number {
    return this.#streamed.length;
  }

  get isEmpty(): boolean {
    return this.#streamed === '';
  }

  get text(): string {
    return this.#streamed;
  }

  add(text: string): void {
    this.#streamed += text;
  }

  /** The text not sent in deltas; empty if the whole does not start with the deltas. */
  findRest(whole: unknown): string {
    if (typeof whole !== 'string' || whole.length <= this.#streamed.length) return '';
    return whole.startsWith(this.#streamed) ? whole.slice(this.#streamed.length) : '';
  }
}

/** Members of an item that exist only in this format and must be returned. */
export function keepTexts(
  item: AnswerItem,
  names: readonly (keyof AnswerItem)[],
): { extra?: { responses: JsonObject } } {
  const kept: JsonObject = {};
  for (const name of names) if (typeof item[name] === 'string') kept[name] = item[name];
  return Object.keys(kept).length > 0 ? { extra: { responses: kept } } : {};
}
