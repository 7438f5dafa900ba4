import type { UpstreamFailure } from '#errors';
import type { AnswerSink, Transport, UpstreamCall, UpstreamRequest } from '../transport.ts';
import { CredentialError } from './credential-error.ts';

/** Creates authentication headers: a signature of the request, or a token that is fetched when missing. */
export type Authorize = (request: UpstreamRequest) => Promise<Readonly<Record<string, string>>>;

/** Sends requests once they are authorized, which is asynchronous. */
export class AuthorizedTransport implements Transport {
  readonly #inner: Transport;
  readonly #authorize: Authorize;
  readonly #waiting = new Set<Promise<void>>();

  constructor(inner: Transport, authorize: Authorize) {
    this.#inner = inner;
    this.#authorize = authorize;
  }

  send(request: UpstreamRequest, sink: AnswerSink): UpstreamCall {
    const call = new AuthorizedCall(sink);
    const sent = call.start(this.#authorize(request), (headers) =>
      this.#inner.send({ ...request, headers: { ...request.headers, ...headers } }, sink),
    );
    this.#waiting.add(sent);
    void sent.finally(() => this.#waiting.delete(sent));
    return call;
  }

  async drain(): Promise<void> {
    await Promise.all(this.#waiting);
    await this.#inner.drain();
  }

  async close(): Promise<void> {
    await this.#inner.close();
  }
}

class AuthorizedCall implements UpstreamCall {
  readonly #sink: AnswerSink;
  readonly #createdMs = performance.now();
  #authorizedMs = 0;
  #call: UpstreamCall | undefined;
  #isAborted = false;
  #isPaused = false;

  constructor(sink: AnswerSink) {
    this.#sink = sink;
  }

  get connectMs(): number | undefined {
    const { connectMs } = this.#call ?? {};
    return connectMs === undefined ? undefined : this.#authorizedMs - this.#createdMs + connectMs;
  }

  async start(
    headers: Promise<Readonly<Record<string, string>>>,
    send: (headers: Readonly<Record<string, string>>) => UpstreamCall,
  ): Promise<void> {
    try {
      const authorized = await headers;
      if (this.#isAborted) return;
      this.#authorizedMs = performance.now();
      this.#call = send(authorized);
      if (this.#isPaused) this.#call.pause();
    } catch (error) {
      if (!this.#isAborted) this.#sink.onFailure(toFailure(error));
    }
  }

  abort(): void {
    this.#isAborted = true;
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
}

/** A client error from a token endpoint means a refused credential; without an answer it is unreachable. */
function toFailure(error: unknown): UpstreamFailure {
  const detail = String(error).slice(0, 2048);
  const status = findStatus(error);
  const isRefused = status !== undefined && status >= 400 && status < 500 && status !== 429;
  if (error instanceof CredentialError || isRefused)
    return { kind: 'credential-refused', message: 'the provider refused the gateway’s credential', detail };
  return { kind: 'unreachable', message: 'no token could be fetched for this provider', detail };
}

function findStatus(error: unknown): number | undefined {
  if (typeof error !== 'object' || error === null) return undefined;
  if ('status' in error && typeof error.status === 'number') return error.status;
  return 'response' in error ? findStatus(error.response) : undefined;
}
