/** Shorter parts are copied into pieces of this many bytes. */
const PIECE_BYTES = 16 * 1024;
/** A part of this length is kept as it is. */
const LONG_BYTES = 2 * 1024;
const NOTHING = Buffer.alloc(0);

/**
 * Bytes that arrive in parts and are read as a whole. The sender chooses the parts, and one of a single byte takes 400
 * if it is kept by itself.
 */
export class ByteParts {
  #pieces: Buffer[] = [];
  /** A piece that short parts are copied to, and how much of it is used. */
  #open = NOTHING;
  #used = 0;
  #length = 0;

  get length(): number {
    return this.#length;
  }

  add(part: Buffer): void {
    if (part.length >= LONG_BYTES || this.#length === 0) {
      this.#close();
      this.#pieces.push(part);
    } else this.#copy(part);
    this.#length += part.length;
  }

  /** All bytes, which are not kept here. */
  take(): Buffer {
    this.#close();
    const [first, second] = this.#pieces;
    const bytes = first && !second ? first : Buffer.concat(this.#pieces);
    this.drop();
    return bytes;
  }

  drop(): void {
    this.#pieces = [];
    this.#open = NOTHING;
    this.#used = 0;
    this.#length = 0;
  }

  #copy(part: Buffer): void {
    if (part.length > this.#open.length - this.#used) {
      this.#close();
      this.#open = Buffer.allocUnsafeSlow(PIECE_BYTES);
    }
    this.#used += part.copy(this.#open, this.#used);
  }

  #close(): void {
    if (this.#used === 0) return;
    this.#pieces.push(this.#open.subarray(0, this.#used));
    this.#open = this.#open.subarray(this.#used);
    this.#used = 0;
  }
}
