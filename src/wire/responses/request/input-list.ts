import type { CacheMark, Dialect } from '#canonical';
import type { Members } from '../../body/unchecked.ts';
import type { ResponsesItem, ResponsesMarked, ResponsesPart } from '../item-schema.ts';

type Breakpoint = Members<NonNullable<ResponsesMarked['prompt_cache_breakpoint']>>;

/** The items of a request in conversation order, with cache marks on the parts that support them. */
export class InputList {
  readonly items: Members<ResponsesItem>[] = [];
  readonly #marks: boolean;
  /** The last part that may have a mark. */
  #markable: Members<ResponsesMarked> | undefined;

  constructor(supported: Dialect['cacheMarks']) {
    this.#marks = supported === 'prompt_cache_breakpoint';
  }

  add(item: Members<ResponsesItem>): void {
    this.items.push(item);
  }

  /** Registers a part before it is added to an item. */
  markPart(part: Members<ResponsesPart>, mark: CacheMark | undefined): void {
    this.#markable = part;
    if (mark) this.passMark(mark);
  }

  /** Moves a mark that cannot be placed (on a call, an answer or an omitted part) to the part before it. */
  passMark({ ttl }: CacheMark): void {
    if (!this.#marks || !this.#markable) return;
    const mark: Breakpoint = { mode: 'explicit' };
    if (ttl === '30m' || ttl === '12h') mark.ttl = ttl;
    this.#markable.prompt_cache_breakpoint ??= mark;
  }
}
