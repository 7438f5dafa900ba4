import { once } from 'node:events';
import type { Socket } from 'node:net';
import { type JsonObject, parseJsonObject } from '#base';
import type { HttpRequest } from './http-reader.ts';

/** The mock provider's facts about one request, which a test compares with the ledger. */
export interface Truth {
  /** Position in order of arrival, from 0. */
  number: number;
  method: string;
  path: string;
  headers: Record<string, string>;
  body: JsonObject;
  rawBody: string;
  /** Decided by the path; `chat` by default. */
  format: UpstreamFormat;
  stream: boolean;
  /** On the monotonic clock (`performance.now()`). */
  receivedAtMs: number;
  /** Bytes of the answer written to the socket, including the head. */
  bytesSent: number;
  /** Server-sent events of the answer, or 1 for a JSON body. */
  chunksSent: number;
  /** Tokens the answer reports, if it is an honest one; output counts what was sent so far. */
  inputTokens: number;
  outputTokens: number;
  /** The answer was sent to its end. */
  completed: boolean;
  /** Whether and when the gateway closed the connection before that. */
  aborted: boolean;
  abortedAtMs?: number;
}

/** The mock provider's formats. */
export type UpstreamFormat = 'chat' | 'messages' | 'responses' | 'gemini';

function formatOf(path: string): UpstreamFormat {
  if (path.includes('/messages')) return 'messages';
  if (path.endsWith('/responses')) return 'responses';
  return path.includes('enerateContent') ? 'gemini' : 'chat';
}

export function createTruth(number: number, request: HttpRequest): Truth {
  const rawBody = request.body.toString('utf8');
  const body = parseJsonObject(rawBody) ?? {};
  const [path = ''] = request.path.split('?');
  return {
    number,
    method: request.method,
    path: request.path,
    headers: request.headers,
    body,
    rawBody,
    format: formatOf(path),
    stream: body['stream'] === true || path.endsWith(':streamGenerateContent'),
    receivedAtMs: performance.now(),
    bytesSent: 0,
    chunksSent: 0,
    inputTokens: Math.ceil(request.body.length / 4),
    outputTokens: 0,
    completed: false,
    aborted: false,
  };
}

/** A request being answered, with access to its socket: a reply may send anything, at any pace, or nothing. */
export class UpstreamExchange {
  readonly truth: Truth;
  readonly socket: Socket;
  readonly #closed = new AbortController();
  #chunked = false;

  constructor(truth: Truth, socket: Socket) {
    this.truth = truth;
    this.socket = socket;
  }

  /** Aborts when the gateway, or the test, closes the connection. */
  get closed(): AbortSignal {
    return this.#closed.signal;
  }

  /** Called by the server when the connection is closed. */
  recordClose(): void {
    if (this.#closed.signal.aborted) return;
    if (!this.truth.completed) {
      this.truth.aborted = true;
      this.truth.abortedAtMs = performance.now();
    }
    this.#closed.abort();
  }

  /** The status line and headers; without `content-length` the body is sent in chunks. */
  async sendHead(status: number, headers: Record<string, string>): Promise<void> {
    this.#chunked = !('content-length' in headers);
    const fields = this.#chunked ? { ...headers, 'transfer-encoding': 'chunked' } : headers;
    const lines = Object.entries(fields).map(([name, value]) => `${name}: ${value}\r\n`);
    await this.sendRaw(`HTTP/1.1 ${status} Mock\r\n${lines.join('')}\r\n`);
  }

  async sendBody(bytes: string | Buffer): Promise<void> {
    const data = typeof bytes === 'string' ? Buffer.from(bytes) : bytes;
    if (data.length === 0) return;
    if (!this.#chunked) return this.sendRaw(data);
    const frame = Buffer.concat([Buffer.from(`${data.length.toString(16)}\r\n`), data, Buffer.from('\r\n')]);
    return this.sendRaw(frame);
  }

  /** Bytes unchanged; waits while the reader does not read. */
  async sendRaw(bytes: string | Buffer): Promise<void> {
    if (this.closed.aborted || !this.socket.writable) return;
    this.truth.bytesSent += Buffer.byteLength(bytes);
    if (this.socket.write(bytes)) return;
    await once(this.socket, 'drain', { signal: this.closed }).catch(() => undefined);
  }

  /** The proper end of the answer, with its last bytes; the connection stays open for the next request. */
  async end(last: string | Buffer = ''): Promise<void> {
    this.truth.completed = !this.closed.aborted; // before the bytes: their reader may disconnect as soon as it has them
    await this.sendBody(last);
    if (this.#chunked) await this.sendRaw('0\r\n\r\n');
  }

  async sendJson(body: JsonObject, status = 200): Promise<void> {
    const text = JSON.stringify(body);
    const length = String(Buffer.byteLength(text));
    await this.sendHead(status, { 'content-type': 'application/json', 'content-length': length });
    this.truth.chunksSent += 1;
    await this.end(text);
  }

  /** A FIN in the middle of the answer. */
  cut(): void {
    this.#leave();
    this.socket.end();
  }

  /** A TCP reset. */
  reset(): void {
    this.#leave();
    this.socket.resetAndDestroy();
  }

  #leave(): void {
    this.#closed.abort();
  }

  /** Resolves when the connection is closed. */
  async waitForClose(): Promise<void> {
    if (!this.closed.aborted) await once(this.closed, 'abort');
  }

  async pause(ms: number): Promise<void> {
    if (ms <= 0 || this.closed.aborted) return;
    await new Promise<void>((resolve) => {
      const timer = setTimeout(finish, ms);
      const { closed } = this;
      function finish(): void {
        clearTimeout(timer);
        closed.removeEventListener('abort', finish);
        resolve();
      }
      closed.addEventListener('abort', finish);
    });
  }
}
