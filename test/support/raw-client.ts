import { once } from 'node:events';
import { type Socket, connect } from 'node:net';

/** A response head and whatever of its body has arrived, undecoded. */
interface RawResponse {
  status: number;
  headers: Record<string, string>;
  body: string;
}

/** A client that may do anything a socket can: malformed HTTP, half a request, silence, a reset, a full receive window. */
export class RawClient implements Disposable {
  readonly socket: Socket;
  #received: Buffer[] = [];
  #ended = false;

  private constructor(socket: Socket) {
    this.socket = socket;
    socket.on('error', () => undefined);
    socket.on('data', (bytes) => this.#received.push(bytes));
    socket.on('close', () => (this.#ended = true));
    socket.on('end', () => (this.#ended = true));
  }

  /** Connects to the host and port of a URL; with `halfOpen` our side stays open after the peer's FIN. */
  static async open(url: string, { halfOpen = false } = {}): Promise<RawClient> {
    const { hostname, port } = new URL(url);
    const socket = connect({ host: hostname, port: Number(port), noDelay: true, allowHalfOpen: halfOpen });
    const client = new RawClient(socket);
    await once(socket, 'connect');
    return client;
  }

  /** Everything received so far. */
  get received(): string {
    return Buffer.concat(this.#received).toString('utf8');
  }

  get receivedBuffer(): Buffer {
    return Buffer.concat(this.#received);
  }

  get receivedBytes(): number {
    return this.#received.reduce((sum, part) => sum + part.length, 0);
  }

  /** The peer closed or reset the connection. */
  get ended(): boolean {
    return this.#ended;
  }

  send(bytes: string | Uint8Array): void {
    this.socket.write(bytes);
  }

  /** A well-formed request with a JSON body. */
  post(path: string, body: unknown, headers: Record<string, string> = {}): void {
    const text = JSON.stringify(body);
    const fields = {
      host: 'localhost',
      'content-type': 'application/json',
      'content-length': String(Buffer.byteLength(text)),
      ...headers,
    };
    const lines = Object.entries(fields).map(([name, value]) => `${name}: ${value}\r\n`);
    this.send(`POST ${path} HTTP/1.1\r\n${lines.join('')}\r\n${text}`);
  }

  /** Sends bytes one by one. */
  async drip(bytes: string, everyMs: number): Promise<void> {
    for (const byte of Buffer.from(bytes)) {
      if (this.#ended || !this.socket.writable) return;
      this.send(Buffer.of(byte));
      await new Promise((resolve) => setTimeout(resolve, everyMs));
    }
  }

  /** Stops reading: the receive window fills and the peer's writes block. */
  stopReading(): void {
    this.socket.pause();
  }

  continueReading(): void {
    this.socket.resume();
  }

  /** A FIN: nothing more will be sent, answers are still read (needs `halfOpen`). */
  finish(): void {
    this.socket.end();
  }

  reset(): void {
    this.socket.resetAndDestroy();
  }

  close(): void {
    this.socket.destroy();
  }

  [Symbol.dispose](): void {
    this.close();
  }

  /** Waits until what was received satisfies a condition; otherwise throws with what was received. */
  async waitFor(condition: (received: string) => boolean, timeoutMs = 60_000): Promise<string> {
    const deadline = performance.now() + timeoutMs;
    while (!condition(this.received)) {
      if (performance.now() > deadline)
        throw new Error(`waited ${timeoutMs} ms, received: ${this.received.slice(0, 500)}`);
      await new Promise((resolve) => setTimeout(resolve, 5));
    }
    return this.received;
  }

  /** Waits until the received bytes end in a text; for answers too large to search repeatedly. */
  async waitForTail(tail: string, timeoutMs = 60_000): Promise<void> {
    const deadline = performance.now() + timeoutMs;
    const read = () => Buffer.concat(this.#received.slice(-4)).toString('latin1').slice(-tail.length);
    while (read() !== tail) {
      if (performance.now() > deadline) throw new Error(`waited ${timeoutMs} ms, received: …${read()}`);
      await new Promise((resolve) => setTimeout(resolve, 5));
    }
  }

  async waitForEnd(timeoutMs = 60_000): Promise<string> {
    return this.waitFor(() => this.#ended, timeoutMs);
  }

  /** Waits for a response head and parses it; the body is what has arrived by then. */
  async readResponse(timeoutMs = 60_000): Promise<RawResponse> {
    const text = await this.waitFor((received) => received.includes('\r\n\r\n'), timeoutMs);
    return parseResponse(text);
  }
}

export function parseResponse(text: string): RawResponse {
  const end = text.indexOf('\r\n\r\n');
  const [line = '', ...fields] = text.slice(0, end).split('\r\n');
  const headers: Record<string, string> = {};
  for (const field of fields) {
    const colon = field.indexOf(':');
    headers[field.slice(0, colon).toLowerCase()] = field.slice(colon + 1).trim();
  }
  return { status: Number(line.split(' ')[1]), headers, body: text.slice(end + 4) };
}
