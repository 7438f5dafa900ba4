import type { CacheMark, Dialect } from '#canonical';
import type { ChatPart } from '../part-schema.ts';
import type { Members } from '../../body/unchecked.ts';
import { encodeCacheMark } from './cache-marks.ts';

type Part = Members<ChatPart>;

/** The parts of one message, with cache marks in the dialect's spelling. */
export class PartList {
  readonly #supported: Dialect['cacheMarks'];
  readonly #parts: Part[] = [];
  readonly #marked = new Set<Part>();

  constructor(supported: Dialect['cacheMarks']) {
    this.#supported = supported;
  }

  get isEmpty(): boolean {
    return this.#parts.length === 0;
  }

  add(part: Part, mark?: CacheMark): void {
    this.#parts.push(part);
    if (mark) this.#mark(part, mark);
  }

  addText(text: string, mark?: CacheMark): void {
    if (text !== '') this.add({ type: 'text', text }, mark);
    else if (mark) this.passMark(mark);
  }

  /** Moves the mark of an omitted part to the part before it. */
  passMark(mark: CacheMark): void {
    const previous = this.#parts.at(-1);
    if (previous && !this.#marked.has(previous)) this.#mark(previous, mark);
  }

  /** A plain string if there is at most one text and nothing else. */
  toContent(): string | Part[] {
    const [first, second] = this.#parts;
    if (!first) return '';
    if (second || this.#marked.size > 0 || typeof first.text !== 'string') return this.#parts;
    return first.text;
  }

  /** One string for upstreams that accept no parts here, unless a part has a cache mark. */
  toText(separator: string): string | Part[] {
    const texts = this.#parts.map((part) => part.text).filter((text) => typeof text === 'string');
    return this.#marked.size > 0 || texts.length < this.#parts.length ? this.#parts : texts.join(separator);
  }

  #mark(part: Part, mark: CacheMark): void {
    const supported = encodeCacheMark(mark, this.#supported);
    if (Object.keys(supported).length === 0) return;
    Object.assign(part, supported);
    this.#marked.add(part);
  }
}
