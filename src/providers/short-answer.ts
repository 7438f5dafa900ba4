import type { HttpHeaders } from '#base';
import type { UpstreamFailure } from '#errors';
import type { FailedResponse } from '#wire';
import type { AnswerSink } from './transport.ts';
import { ByteParts } from '#base';

interface ShortAnswerListener {
  onWhole(response: FailedResponse): void;
  /** It is longer than it may be; the rest is not kept. */
  onTooMuch(): void;
  onFailure(failure: UpstreamFailure): void;
}

/** Collects an answer that is read as a whole. */
export class ShortAnswer implements AnswerSink {
  readonly #mostBytes: number;
  readonly #listener: ShortAnswerListener;
  readonly #parts = new ByteParts();
  #status = 0;
  #headers: HttpHeaders = {};

  constructor(mostBytes: number, listener: ShortAnswerListener) {
    this.#mostBytes = mostBytes;
    this.#listener = listener;
  }

  onHead(status: number, headers: HttpHeaders): void {
    this.#status = status;
    this.#headers = headers;
  }

  onData(bytes: Buffer): void {
    if (this.#parts.length + bytes.length <= this.#mostBytes) this.#parts.add(bytes);
    else this.#listener.onTooMuch();
  }

  onEnd(): void {
    const body = this.#parts.take().toString('utf8');
    this.#listener.onWhole({ status: this.#status, headers: this.#headers, body });
  }

  onFailure(failure: UpstreamFailure): void {
    this.#listener.onFailure(failure);
  }
}
