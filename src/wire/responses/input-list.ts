import type { JsonObject } from '#base';
import type { CacheMark, Dialect } from '#canonical';

/** The items of a request in conversation order, with cache marks on the parts that support them. */
export class InputList {
  readonly items: JsonObject[] = [];
  readonly #marks: boolean;
  /** The last part that may have a mark. */
  #markable: JsonObject | undefined;

  constructor(said: Dialect['cacheMarks']) {
    this.#marks = said === 'prompt_cache_breakpoint';
  }

  add(item: JsonObject): void {
    this.items.push(item);
  }

  /** Registers a part before it is added to an item. */
  markPart(part: JsonObject, mark: CacheMark | undefined): void {
    this.#markable = part;
    if (mark) this.passMark(mark);
  }

  /** Moves a mark that cannot be placed (on a call, an answer or an omitted part) to the part before it. */
  passMark({ ttl }: CacheMark): void {
    if (!this.#marks || !this.#markable) return;
    this.#markable['prompt_cache_breakpoint'] ??= {
      mode: 'explicit',
      ...((ttl === '30m' || ttl === '12h') && { ttl }),
    };
  }
}
