import type { HttpHeaders } from '#base';
import { type Transform, finished, pipeline } from 'node:stream';
import { constants, createBrotliDecompress, createUnzip, createZstdDecompress } from 'node:zlib';
import type { UpstreamFailure } from '#errors';

/** Servers do not apply more layers than this; each one multiplies the possible size of a small answer. */
const MOST_LAYERS = 2;
/** RFC 9659: an HTTP decoder needs a window of at most 8 MiB. */
const ZSTD_OPTIONS = { params: { [constants.ZSTD_d_windowLogMax]: 23 } };

const DECODERS: ReadonlyMap<string, () => Transform> = new Map<string, () => Transform>([
  ['gzip', createUnzip],
  ['x-gzip', createUnzip],
  ['deflate', createUnzip],
  ['br', createBrotliDecompress],
  ['zstd', () => createZstdDecompress(ZSTD_OPTIONS)],
]);

/** Receives decoded bytes and applies backpressure. */
interface DecodingTarget {
  onData(bytes: Buffer): void;
  onEnd(): void;
  onFailure(failure: UpstreamFailure): void;
  /** Pauses the source, or resumes it. */
  holdBack(isFull: boolean): void;
}

/** The encodings of an answer, in the order they were applied; usually none, because none is accepted. */
export function listEncodings(headers: HttpHeaders): string[] {
  const value = headers['content-encoding'];
  if (value === undefined) return [];
  const names = String(value).toLowerCase().split(',');
  return names.map((name) => name.trim()).filter((name) => name !== '' && name !== 'identity');
}

/** Headers of an answer once it is decoded. */
export function withoutEncoding(headers: HttpHeaders): HttpHeaders {
  return { ...headers, 'content-encoding': undefined, 'content-length': undefined };
}

/**
 * Decodes an answer that a provider compressed against the request. Decoded bytes are passed on in small pieces, so
 * that the limits on plain answers apply in the same way and can stop in the middle.
 */
export class ContentDecoding {
  readonly #first: Transform;
  readonly #last: Transform;
  readonly #target: DecodingTarget;
  #isOver = false;

  private constructor(layers: [Transform, ...Transform[]], target: DecodingTarget) {
    this.#first = layers[0];
    this.#last = layers.at(-1) ?? layers[0];
    this.#target = target;
    if (layers.length > 1) pipeline(layers, (error) => error && this.#fail(error));
    else finished(this.#last, { writable: false }, (error) => error && this.#fail(error));
    this.#last.on('data', (bytes: Buffer) => {
      if (!this.#isOver) target.onData(bytes);
    });
    this.#last.on('end', () => this.#end());
    this.#first.on('drain', () => target.holdBack(false));
  }

  /** Returns a failure for an unknown encoding. */
  static open(encodings: readonly string[], target: DecodingTarget): ContentDecoding | UpstreamFailure {
    const [first, ...others] = encodings.toReversed().map((name) => DECODERS.get(name));
    if (!first || others.length >= MOST_LAYERS || others.some((create) => !create)) {
      const detail = encodings.join(', ').slice(0, 200);
      return {
        kind: 'garbled',
        message: 'the provider compressed its answer with an unknown encoding',
        detail,
      };
    }
    return new ContentDecoding([first(), ...others.flatMap((create) => create?.() ?? [])], target);
  }

  write(bytes: Buffer): void {
    if (!this.#isOver && !this.#first.write(bytes)) this.#target.holdBack(true);
  }

  end(): void {
    if (!this.#isOver) this.#first.end();
  }

  pause(): void {
    this.#last.pause();
  }

  resume(): void {
    if (!this.#isOver) this.#last.resume();
  }

  /** Silences it and frees its memory. */
  stop(): void {
    this.#isOver = true;
    this.#first.destroy();
    this.#last.destroy();
  }

  #end(): void {
    if (this.#isOver) return;
    this.#isOver = true;
    this.#target.onEnd();
  }

  #fail(error: Error): void {
    if (this.#isOver) return;
    this.stop();
    const isCut = 'code' in error && error.code === 'Z_BUF_ERROR';
    this.#target.onFailure(
      isCut
        ? { kind: 'broken', message: 'the provider cut its answer short', detail: String(error) }
        : { kind: 'garbled', message: 'the provider’s compressed answer is corrupt', detail: String(error) },
    );
  }
}
