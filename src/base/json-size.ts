import { QUOTE, findStringEnd } from './json.ts';

/** What JSON costs to read, known without parsing it. */
export interface JsonSize {
  /** The deepest nesting of arrays and objects. */
  depth: number;
  /** Values of any kind, inner ones too; an empty array or object counts as two. */
  values: number;
  /** Different names of members, save the first 50,000 names. */
  names: number;
  /** The member of the outermost object that has most values, and how many. */
  largest: { name: string; values: number };
}

const COMMA = 0x2c;
const COLON = 0x3a;

/** A parser keeps every different name for itself; a body with no more names than these is cheap, whatever they are. */
const FREE_NAMES = 50_000;
/** One bit for each hash of a name. */
const SEEN_BITS = 2 ** 21;
const SEED = Math.floor(Math.random() * 2 ** 32);

/** What measuring stops at. */
export type JsonLimits = Readonly<Pick<JsonSize, 'depth' | 'values' | 'names'>>;

/**
 * Measures JSON bytes piece by piece, until a limit is exceeded. Strings are skipped by a native search, so a long prompt
 * costs next to nothing. Malformed input gives some numbers; the parser judges it.
 */
export class JsonMeter {
  readonly size: JsonSize = { depth: 0, values: 1, names: 0, largest: { name: '', values: 0 } };
  readonly #bytes: Buffer;
  readonly #limits: JsonLimits;
  #at = 0;
  #depth = 0;
  /** Where the last string begins: a name, where a colon follows. */
  #string = 0;
  /** Where the name of the outermost object's present member begins, and the values before it. */
  #member = -1;
  #before = 0;
  #names = 0;
  #seen: Uint8Array | undefined;

  constructor(bytes: Buffer, limits: JsonLimits) {
    this.#bytes = bytes;
    this.#limits = limits;
  }

  /** Goes on for about so many bytes; false when all is measured. */
  advance(length: number): boolean {
    const bytes = this.#bytes;
    const { size } = this;
    const maxDepth = this.#limits.depth;
    const end = Math.min(this.#at + length, bytes.length);
    let [at, depth, values] = [this.#at, this.#depth, size.values];
    for (; at < end; at += 1) {
      const byte = bytes[at];
      if (byte === QUOTE) {
        this.#string = at;
        at = findStringEnd(bytes, at);
      } else if (byte === COMMA) {
        values += 1;
      } else if (byte === COLON) {
        if (depth === 1) this.#startMember(values);
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
    return false;
  }

  #isBeyond(): boolean {
    const { values, names } = this.size;
    return values > this.#limits.values || names > this.#limits.names;
  }

  #startMember(values: number): void {
    this.#endMember(values);
    this.#member = this.#string;
    this.#before = values;
  }

  #endMember(values: number): void {
    const own = values - this.#before;
    if (this.#member === -1 || own <= this.size.largest.values) return;
    const end = findStringEnd(this.#bytes, this.#member);
    this.size.largest = { name: this.#bytes.toString('utf8', this.#member + 1, end), values: own };
  }

  /** Counts a name unless its hash was seen; the few that share a hash are missed. */
  #countName(end: number): void {
    let hash = SEED;
    for (let at = this.#string; at < end; at += 1)
      hash = Math.imul(hash ^ (this.#bytes[at] ?? 0), 0x0100_0193);
    const slot = (hash ^ (hash >>> 15)) & (SEEN_BITS - 1);
    this.#seen ??= new Uint8Array(SEEN_BITS / 8);
    const bit = 1 << (slot & 7);
    const seen = this.#seen[slot >> 3] ?? 0;
    if ((seen & bit) !== 0) return;
    this.#seen[slot >> 3] = seen | bit;
    this.size.names += 1;
  }
}
