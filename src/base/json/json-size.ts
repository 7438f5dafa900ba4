import { QUOTE, findStringEnd } from './json.ts';

/** The cost of parsing JSON, measured without parsing it. */
export interface JsonSize {
  /** The deepest nesting of arrays and objects. */
  depth: number;
  /** Values of any kind at any depth; a string, an empty array and an empty object count as two. */
  values: number;
  /** Distinct member names, without the first 10,000. */
  names: number;
  /** The top-level member with the most values, and their number. */
  largest: { name: string; values: number };
}

const COMMA = 0x2c;
const COLON = 0x3a;

/** A parser interns every distinct name. Bodies with no more names than this are not checked. */
const FREE_NAMES = 10_000;
/** Bytes of a name that are reported. */
const LONGEST_NAME = 400;
/** One bit per hash of a name. */
const SEEN_BITS = 2 ** 21;
const SEED = Math.floor(Math.random() * 2 ** 32);

/** Limits at which measuring stops. */
export type JsonLimits = Readonly<Pick<JsonSize, 'depth' | 'values' | 'names'>>;

/**
 * Measures JSON bytes piece by piece until a limit is exceeded. Strings are skipped by a native search, so a long
 * prompt costs almost nothing. Malformed input gives arbitrary numbers; the parser rejects it later.
 */
export class JsonMeter {
  readonly size: JsonSize = { depth: 0, values: 1, names: 0, largest: { name: '', values: 0 } };
  readonly #bytes: Buffer;
  readonly #limits: JsonLimits;
  #at = 0;
  #depth = 0;
  /** Where the last string begins; it is a name if a colon follows. */
  #string = 0;
  #isInString = false;
  /** The current top-level member's name, its position, and the values before it. */
  #member: [start: number, end: number] | undefined;
  #before = 0;
  /** The place of the name of the largest one. */
  #largest: [start: number, end: number] | undefined;
  #names = 0;
  #seen: Uint8Array | undefined;

  constructor(bytes: Buffer, limits: JsonLimits) {
    this.#bytes = bytes;
    this.#limits = limits;
  }

  /** Continues for about this many bytes; false when everything is measured. */
  advance(length: number): boolean {
    const bytes = this.#bytes;
    const { size } = this;
    const maxDepth = this.#limits.depth;
    const end = Math.min(this.#at + length, bytes.length);
    let [at, depth, values] = [this.#at, this.#depth, size.values];
    if (this.#isInString) at = this.#resumeString(at, end);
    for (; at < end; at += 1) {
      const byte = bytes[at];
      if (byte === QUOTE) {
        values += 1;
        this.#string = at;
        at = this.#skipString(at, end);
        if (this.#isInString) break;
      } else if (byte === COMMA) {
        values += 1;
      } else if (byte === COLON) {
        values -= 1;
        if (depth === 1) this.#startMember(values, at);
        this.#names += 1;
        if (this.#names > FREE_NAMES) this.#countName(at);
      } else if (byte === 0x7b || byte === 0x5b) {
        values += 1;
        depth += 1;
        if (depth > size.depth) size.depth = depth;
        if (depth > maxDepth) return false;
      } else if (byte === 0x7d || byte === 0x5d) {
        depth -= 1;
      }
    }
    [this.#at, this.#depth, size.values] = [at, depth, values];
    if (at < bytes.length && !this.#isBeyond()) return true;
    this.#endMember(values);
    if (this.#largest) size.largest.name = this.#readName(this.#largest);
    return false;
  }

  #resumeString(at: number, until: number): number {
    const end = this.#skipString(at - 1, until);
    return this.#isInString ? end : end + 1;
  }

  /** The position of the string's closing quote, or how far this step got. */
  #skipString(start: number, until: number): number {
    const end = findStringEnd(this.#bytes, start, until);
    this.#isInString = end < this.#bytes.length && this.#bytes[end] !== QUOTE;
    return end;
  }

  #isBeyond(): boolean {
    const { values, names } = this.size;
    return values > this.#limits.values || names > this.#limits.names;
  }

  #startMember(values: number, colon: number): void {
    this.#endMember(values);
    this.#member = [this.#string + 1, Math.min(colon, this.#string + LONGEST_NAME)];
    this.#before = values;
  }

  #endMember(values: number): void {
    const own = values - this.#before;
    if (!this.#member || own <= this.size.largest.values) return;
    this.size.largest.values = own;
    this.#largest = this.#member;
  }

  #readName(place: [start: number, end: number]): string {
    return this.#bytes.toString('utf8', ...place).replace(/"\s*$/, '');
  }

  /** Counts a name unless its hash was seen; hash collisions are undercounted. */
  #countName(end: number): void {
    let hash = SEED;
    for (let at = this.#string; at < end; at += 1)
      hash = Math.imul(hash ^ (this.#bytes[at] ?? 0), 0x0100_0193);
    this.#string = end; // a next colon without a name, which is no JSON, would have all of this hashed again
    const slot = (hash ^ (hash >>> 15)) & (SEEN_BITS - 1);
    this.#seen ??= new Uint8Array(SEEN_BITS / 8);
    const bit = 1 << (slot & 7);
    const seen = this.#seen[slot >> 3] ?? 0;
    if ((seen & bit) !== 0) return;
    this.#seen[slot >> 3] = seen | bit;
    this.size.names += 1;
  }
}
