import type { IncomingMessage, ServerResponse } from 'node:http';
import type { Reply } from '#pipeline';
import { lingerAfterAnswer } from './linger.ts';

const CHUNK_END = '\r\n';
const LAST_CHUNK = '0\r\n\r\n';

interface Exchange {
  request: IncomingMessage;
  response: ServerResponse;
  streams: OpenStreams;
}

/** Answers that are sent in parts and have not ended. */
export interface OpenStreams {
  count: number;
}

/** A `node:http` response as the pipeline's reply. */
export class NodeReply implements Reply {
  readonly #request: IncomingMessage;
  readonly #response: ServerResponse;
  readonly #headers: Record<string, string>;
  readonly #unreadMs: number;
  readonly #streams: OpenStreams;
  #isStream = false;
  /** Its length is unknown to the caller, so that its pieces are sent as chunks. */
  #isChunked = false;
  #isGone = false;
  #goneListeners: (() => void)[] = [];
  #onBegun: (() => void) | undefined;

  /**
   * `headers` are part of every answer; a caller that reads nothing of a complete one for `unreadMs` is disconnected.
   */
  constructor({ request, response, streams }: Exchange, headers: Record<string, string>, unreadMs: number) {
    this.#request = request;
    this.#response = response;
    this.#streams = streams;
    this.#headers = headers;
    this.#unreadMs = unreadMs;
    response.on('close', () => {
      this.#reportStart();
      if (this.#isStream) this.#streams.count -= 1;
      const listeners = this.#removeListeners();
      if (response.writableFinished) return;
      this.#isGone = true;
      for (const run of listeners) run();
    });
    response.on('error', ignore);
  }

  get isOver(): boolean {
    return this.#isGone || this.#response.writableEnded;
  }

  get hasBegun(): boolean {
    return this.#response.headersSent;
  }

  begin(status: number, headers: Readonly<Record<string, string>>): void {
    if (this.isOver) return;
    this.#reportStart();
    this.#response.writeHead(status, this.#complete(headers));
    // Node sends a chunk in four parts, which takes longer than one text.
    this.#isChunked = this.#response.chunkedEncoding;
    this.#response.chunkedEncoding = false;
    this.#isStream = true;
    this.#streams.count += 1;
  }

  /** `onSent` runs once the operating system has taken the piece. */
  write(piece: string | Uint8Array, onSent?: () => void): boolean {
    if (this.isOver) return true;
    if (!this.#isChunked || piece.length === 0) return this.#response.write(piece, onSent);
    if (typeof piece === 'string') return this.#response.write(toChunk(piece), onSent);
    this.#response.write(toSizeLine(piece.length));
    this.#response.write(piece);
    return this.#response.write(CHUNK_END, onSent);
  }

  end(piece: string | Buffer): void {
    if (this.isOver) return;
    if (!this.#isChunked) this.#close(piece);
    else if (typeof piece === 'string') this.#close(toLastChunks(piece));
    else {
      this.write(piece);
      this.#close(LAST_CHUNK);
    }
  }

  send(status: number, headers: Readonly<Record<string, string>>, body: string | Buffer): void {
    if (this.isOver || this.#response.headersSent) return;
    const all = this.#complete(headers);
    // On a 304 it would be taken for the length of the cached answer; a 204 has none.
    if (status !== 304 && status !== 204) all['content-length'] = String(Buffer.byteLength(body));
    this.#reportStart();
    this.#response.writeHead(status, all);
    this.#close(body);
  }

  /** Node waits indefinitely for the rest of an answer to be read, unless a timeout is set. */
  #close(piece: string | Buffer): void {
    this.#response.end(piece);
    if (this.#response.writableLength > 0) this.#response.setTimeout(this.#unreadMs, () => this.drop());
  }

  onDrain(run: () => void): void {
    this.#response.on('drain', run);
  }

  onGone(run: () => void): void {
    if (this.#isGone) run();
    else this.#goneListeners.push(run);
  }

  /** Runs this one function once an answer begins or the caller has disconnected: the request is not needed after that. */
  onBegun(run: () => void): void {
    if (this.isOver || this.hasBegun) run();
    else this.#onBegun = run;
  }

  #reportStart(): void {
    const run = this.#onBegun;
    this.#onBegun = undefined;
    run?.();
  }

  offGone(run: () => void): void {
    const at = this.#goneListeners.indexOf(run);
    if (at !== -1) this.#goneListeners.splice(at, 1);
  }

  /** The server references the last answer of a connection until its next request, and with it all its listeners. */
  #removeListeners(): (() => void)[] {
    const listeners = this.#goneListeners;
    this.#goneListeners = [];
    this.#response.removeAllListeners('drain');
    return listeners;
  }

  drop(): void {
    this.#response.destroy();
  }

  addHeader(name: string, value: string): void {
    this.#headers[name] = value;
  }

  /**
   * A connection whose request was not read completely cannot carry another: leftover bytes would be taken for it.
   */
  #complete(headers: Readonly<Record<string, string>>): Record<string, string> {
    const all = { ...this.#headers, ...headers };
    if (!this.#request.complete && hasBody(this.#request)) {
      all['connection'] = 'close';
      lingerAfterAnswer(this.#request);
    }
    return all;
  }
}

/** The `close` event reports an answer that cannot be sent. */
function ignore(): void {}

function toSizeLine(bytes: number): string {
  return `${bytes.toString(16)}${CHUNK_END}`;
}

function toChunk(piece: string): string {
  return toSizeLine(Buffer.byteLength(piece)) + piece + CHUNK_END;
}

function toLastChunks(piece: string): string {
  return piece === '' ? LAST_CHUNK : toChunk(piece) + LAST_CHUNK;
}

/** A request is answered before Node reports it complete, even without a body. */
function hasBody({ headers }: IncomingMessage): boolean {
  return headers['transfer-encoding'] !== undefined || (headers['content-length'] ?? '0') !== '0';
}
