import { crc32 } from 'node:zlib';
import { ByteParts } from '#base';

/** Lengths of frame and headers, four bytes each, and their checksum. */
const PRELUDE_BYTES = 12;
const LEAST_BYTES = 16;
const MOST_BYTES = 16 * 1024 * 1024;

/** Splits bytes into the frames of an AWS event stream, however they are chunked. */
export class FrameSplitter {
  readonly #parts = new ByteParts();
  #needed = PRELUDE_BYTES;

  get isMidFrame(): boolean {
    return this.#parts.length > 0;
  }

  /** The frames complete so far. Throws on bytes that begin no frame. */
  *push(bytes: Buffer): Generator<Buffer> {
    this.#parts.add(bytes);
    if (this.#parts.length < this.#needed) return;
    let rest = this.#parts.take();
    this.#needed = PRELUDE_BYTES;
    while (rest.length >= PRELUDE_BYTES) {
      const length = readLength(rest);
      if (rest.length < length) {
        this.#needed = length;
        break;
      }
      yield rest.subarray(0, length);
      rest = rest.subarray(length);
    }
    if (rest.length > 0) this.#parts.add(rest);
  }
}

function readLength(bytes: Buffer): number {
  const length = bytes.readUInt32BE(0);
  if (length < LEAST_BYTES || length > MOST_BYTES)
    throw new Error(`no frame has a length of ${length} bytes`);
  if (crc32(bytes.subarray(0, 8)) !== bytes.readUInt32BE(8))
    throw new Error('a frame begins with a wrong checksum');
  return length;
}
