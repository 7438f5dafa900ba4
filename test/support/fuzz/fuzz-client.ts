import { once } from 'node:events';
import { Agent, type ClientRequest, type IncomingMessage, request as send } from 'node:http';
import { text } from 'node:stream/consumers';

export interface FuzzReply {
  /** 0 where the connection broke before a status came. */
  status: number;
  requestId: string;
  text: string;
  /** It names a time after which the request may be sent again. */
  mayRepeat: boolean;
  ms: number;
}

export interface FuzzRequest {
  method: string;
  path: string;
  headers: Record<string, string>;
  body: Buffer | undefined;
}

/** A request that takes longer has no answer. */
const PATIENCE_MS = 120_000;

/** Sends requests over connections that are kept open; open bodies take at most this many bytes together. */
export class FuzzClient implements Disposable {
  readonly #url: string;
  readonly #agent = new Agent({ keepAlive: true });
  readonly #mostBytes: number;
  #openBytes = 0;
  readonly #waiting: (() => void)[] = [];

  constructor(url: string, mostBytes: number) {
    this.#url = url;
    this.#mostBytes = mostBytes;
  }

  async send(fuzzed: FuzzRequest): Promise<FuzzReply> {
    const bytes = fuzzed.body?.length ?? 0;
    while (this.#openBytes > 0 && this.#openBytes + bytes > this.#mostBytes)
      await new Promise<void>((resolve) => this.#waiting.push(resolve));
    this.#openBytes += bytes;
    try {
      return await this.#exchange(fuzzed, true);
    } finally {
      this.#openBytes -= bytes;
      for (const resume of this.#waiting.splice(0)) resume();
    }
  }

  async #exchange(fuzzed: FuzzRequest, isFirst: boolean): Promise<FuzzReply> {
    const startedMs = performance.now();
    const { method, path, headers, body } = fuzzed;
    const length = body && { 'content-length': String(body.length) };
    let request: ClientRequest | undefined;
    try {
      const signal = AbortSignal.timeout(PATIENCE_MS);
      request = send(`${this.#url}${path}`, {
        method,
        headers: { ...headers, ...length },
        agent: this.#agent,
        signal,
      });
      request.end(body);
      const [response] = (await once(request, 'response')) as [IncomingMessage];
      request.on('error', () => undefined);
      const answered = await text(response);
      const { statusCode: status = 0, headers: reported } = response;
      const requestId = String(reported['x-request-id'] ?? '');
      const mayRepeat = reported['retry-after'] !== undefined;
      return { status, requestId, text: answered, mayRepeat, ms: performance.now() - startedMs };
    } catch (error) {
      // A connection that the gateway closes while it is idle is lost to the next request; that one goes again.
      if (request?.reusedSocket === true && isFirst) return this.#exchange(fuzzed, false);
      const ms = performance.now() - startedMs;
      return { status: 0, requestId: '', text: String(error), mayRepeat: false, ms };
    }
  }

  [Symbol.dispose](): void {
    this.#agent.destroy();
  }
}
