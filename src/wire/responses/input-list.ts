import type { JsonObject } from '#base';
import type { CacheMark, Dialect } from '#canonical';

/** The items of a request in the order they are said, with the cache marks on the parts that can hold one. */
export class InputList {
  readonly items: JsonObject[] = [];
  readonly #marks: boolean;
  /** The last part that may carry a mark. */
  #markable: JsonObject | undefined;

  constructor(said: Dialect['cacheMarks']) {
    this.#marks = said === 'prompt_cache_breakpoint';
  }

  add(item: JsonObject): void {
    this.items.push(item);
  }

  /** Takes a part that is about to be added within an item. */
  markPart(part: JsonObject, mark: CacheMark | undefined): void {
    this.#markable = part;
    if (mark) this.passMark(mark);
  }

  /** The mark of what cannot hold one (a call, an answer, what is left out) goes to the part before it. */
  passMark({ ttl }: CacheMark): void {
    if (!this.#marks || !this.#markable) return;
    this.#markable['prompt_cache_breakpoint'] ??= {
      mode: 'explicit',
      ...((ttl === '30m' || ttl === '12h') && { ttl }),
    };
  }
}
