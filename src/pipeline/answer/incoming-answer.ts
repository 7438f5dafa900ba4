import type { HttpHeaders } from '#base';
import type { UpstreamFailure } from '#errors';
import type { FailedResponse } from '#wire';
import { ByteParts, SseOverflow } from '#base';
import { BODY_LIMITS, findAnswerExcess } from '../request/json-limits.ts';

const MAX_ANSWER_BYTES = 64 * 1024 * 1024;
const MAX_ERROR_BYTES = 64 * 1024;
const BYTE_ORDER_MARK = Buffer.from('\uFEFF');
export const TOO_LARGE = 'the provider returned a response that is too large';

/** The head of a provider's answer and, if it is read as a whole, its bounded bytes. */
export class IncomingAnswer {
  status = 0;
  headers: HttpHeaders = {};
  readonly #parts = new ByteParts();

  /** Takes the head; a redirect is a failure. */
  open(status: number, headers: HttpHeaders): UpstreamFailure | undefined {
    this.status = status;
    this.headers = headers;
    if (status < 300 || status >= 400) return undefined;
    const message = 'the provider answered with a redirect, which the gateway does not follow';
    return { kind: 'garbled', status, message };
  }

  keep(bytes: Buffer): UpstreamFailure | undefined {
    if (this.#parts.length + bytes.length > MAX_ANSWER_BYTES) return { kind: 'garbled', message: TOO_LARGE };
    this.#parts.add(bytes);
    return undefined;
  }

  /** Keeps the beginning of an error, which names the cause. Returns false once it has enough. */
  keepError(bytes: Buffer): boolean {
    this.#parts.add(bytes.subarray(0, MAX_ERROR_BYTES - this.#parts.length));
    return this.#parts.length < MAX_ERROR_BYTES;
  }

  take(): Buffer {
    return this.#parts.take();
  }

  /** The bytes of a text, without the byte order mark that some servers send. */
  takeText(): Buffer {
    const bytes = this.#parts.take();
    const hasMark = bytes.subarray(0, BYTE_ORDER_MARK.length).equals(BYTE_ORDER_MARK);
    return hasMark ? bytes.subarray(BYTE_ORDER_MARK.length) : bytes;
  }

  takeError(): FailedResponse {
    return { status: this.status, headers: this.headers, body: this.takeText().toString('utf8') };
  }

  drop(): void {
    this.#parts.drop();
  }
}

/** Answers are walked and printed recursively, so depth and size are bounded as for requests. */
export function* findExcess(
  bytes: Buffer,
  limits = BODY_LIMITS,
): Generator<undefined, UpstreamFailure | undefined> {
  const excess = yield* findAnswerExcess(bytes, limits);
  return excess === undefined
    ? undefined
    : { kind: 'garbled', message: `the provider returned a response that ${excess}` };
}

/** The failure for an event stream that could not be read. */
export function toUnreadable(thrown: unknown): UpstreamFailure {
  const message =
    thrown instanceof SseOverflow
      ? 'the provider returned an event that is too large'
      : 'the response of the provider could not be read';
  return { kind: 'garbled', message, detail: String(thrown) };
}
