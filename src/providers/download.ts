import type { UpstreamFailure } from '#errors';
import type { RequestHeaders } from '#wire';
import type { AnswerSink, UpstreamCall } from './transport.ts';

const REDIRECTS: ReadonlySet<number> = new Set([301, 302, 303, 307, 308]);
const MOST_REDIRECTS = 3;

/** Asks for what is at an address; a guest is asked without any credential. */
type Ask = (url: URL, isGuest: boolean, sink: AnswerSink) => UpstreamCall;

/** One download, through the redirects it meets. Whoever was sent elsewhere once shows no credential any more. */
export class Download implements UpstreamCall, AnswerSink {
  readonly #ask: Ask;
  readonly #sink: AnswerSink;
  #url: URL;
  #call: UpstreamCall | undefined;
  #redirects = 0;
  #isGuest = false;
  #isPaused = false;
  #isOver = false;

  constructor(url: URL, ask: Ask, sink: AnswerSink) {
    this.#url = url;
    this.#ask = ask;
    this.#sink = sink;
  }

  begin(): void {
    const call = this.#ask(this.#url, this.#isGuest, this);
    if (this.#isPaused) call.pause();
    this.#call = call;
  }

  abort(): void {
    this.#isOver = true;
    this.#call?.abort();
  }

  pause(): void {
    this.#isPaused = true;
    this.#call?.pause();
  }

  resume(): void {
    this.#isPaused = false;
    this.#call?.resume();
  }

  onHead(status: number, headers: RequestHeaders): void {
    const { location } = headers;
    if (REDIRECTS.has(status) && typeof location === 'string') this.#follow(location);
    else this.#sink.onHead(status, headers);
  }

  onData(bytes: Buffer): void {
    this.#sink.onData(bytes);
  }

  onEnd(): void {
    this.#sink.onEnd();
  }

  onFailure(failure: UpstreamFailure): void {
    this.#sink.onFailure(failure);
  }

  #follow(location: string): void {
    this.#call?.abort(); // whatever the redirect says besides is no video
    const next = URL.parse(location, this.#url.href);
    this.#redirects += 1;
    if (!next || this.#redirects > MOST_REDIRECTS) {
      this.onFailure(
        createStray(next ? `redirected more than ${MOST_REDIRECTS} times` : 'redirected to no address'),
      );
      return;
    }
    if (next.origin !== this.#url.origin) this.#isGuest = true;
    this.#url = next;
    // The exchange that told the redirect is still on the stack.
    queueMicrotask(() => {
      if (!this.#isOver) this.begin();
    });
  }
}

function createStray(how: string): UpstreamFailure {
  return { kind: 'broken', message: `the provider ${how}` };
}
