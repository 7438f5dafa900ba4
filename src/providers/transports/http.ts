import type { HttpHeaders } from '#base';
import type { LookupFunction } from 'node:net';
import type { Dispatcher } from 'undici';
import type { UpstreamFailure } from '#errors';
import type { AnswerSink, Transport, UpstreamCall, UpstreamRequest } from '../transport.ts';
import { Readable } from 'node:stream';
import { AddressRefused } from '#base';
import { Pool, errors } from 'undici';
import { findCertificateFault } from './certificate-fault.ts';
import { createConnector, isStale } from './stale-connection.ts';
import { ContentDecoding, listEncodings, withoutEncoding } from './content-decoding.ts';

export interface HttpTransportOptions {
  /** For example `https://api.openai.com/v1`; a trailing slash is ignored. */
  baseUrl: string;
  credential?: { header: 'authorization' | 'x-api-key' | 'api-key' | 'x-goog-api-key'; value: string };
  headers?: Readonly<Record<string, string>>;
  connectTimeoutMs: number;
  /** Resolves the host; the system's lookup by default. */
  lookup?: LookupFunction;
}

/** Options of every connection to a provider. undici's own timeouts are off: the callers keep theirs. */
export const CONNECTION = {
  allowH2: false,
  pipelining: 1,
  headersTimeout: 0,
  bodyTimeout: 0,
  keepAliveTimeout: 30_000,
  maxHeaderSize: 64 * 1024,
} as const;

/** undici keeps a body that it sends at once until the end of the answer. */
const LARGE_BODY_LENGTH = 16 * 1024;
const SLICE_BYTES = 256 * 1024;
/** Several idle connections may have been closed at once. */
const MOST_RESENDS = 3;
/** A provider that took longer had begun to work. */
const STALE_WITHIN_MS = 1_000;

/**
 * Sends requests over HTTP/1.1 with one connection pool per provider. Never follows a redirect; decodes answers that
 * are compressed although no encoding is accepted.
 */
export class HttpTransport implements Transport {
  readonly #pool: Pool;
  readonly #basePath: string;
  readonly #headers: Record<string, string>;

  constructor(options: HttpTransportOptions) {
    const url = new URL(options.baseUrl);
    this.#basePath = url.pathname.replace(/\/+$/, '');
    this.#headers = {
      ...options.headers,
      'accept-encoding': 'identity',
      ...(options.credential && { [options.credential.header]: options.credential.value }),
    };
    this.#pool = new Pool(url.origin, {
      ...CONNECTION,
      connect: createConnector({
        timeout: options.connectTimeoutMs,
        ...(options.lookup && { lookup: options.lookup }),
      }),
    });
  }

  send(request: UpstreamRequest, sink: AnswerSink): UpstreamCall {
    const headers = { 'content-type': 'application/json', ...request.headers, ...this.#headers };
    const dispatch = (exchange: HttpExchange): unknown =>
      this.#pool.dispatch(
        {
          method: 'POST',
          path: (request.basePath ?? this.#basePath) + request.path,
          ...(request.body.length < LARGE_BODY_LENGTH
            ? { headers, body: request.body }
            : inSlices(request.body, headers)),
        },
        exchange,
      );
    const exchange: HttpExchange = new HttpExchange(sink, {
      decodes: true,
      resend: () => dispatch(exchange),
    });
    dispatch(exchange);
    return exchange;
  }

  async drain(): Promise<void> {
    await this.#pool.close();
  }

  async close(): Promise<void> {
    await this.#pool.destroy();
  }
}

/**
 * Sends a large body in pieces, so that undici knows when it is complete: if the answer came earlier, the connection is
 * closed; otherwise the next request would wait behind the rest of this one.
 */
function inSlices(
  whole: string | Buffer,
  headers: Record<string, string>,
): Pick<Dispatcher.DispatchOptions, 'headers' | 'body'> {
  const body = typeof whole === 'string' ? Buffer.from(whole) : whole;
  return {
    headers: { ...headers, 'content-length': String(body.length) },
    body: Readable.from(new Slices(body)),
  };
}

/** The slices of a body, which is released once the last is sent: a stream keeps its source, and an answer may take minutes. */
class Slices implements Iterator<Buffer>, Iterable<Buffer> {
  #rest: Buffer | undefined;

  constructor(body: Buffer) {
    this.#rest = body;
  }

  [Symbol.iterator](): this {
    return this;
  }

  next(): IteratorResult<Buffer, undefined> {
    const rest = this.#rest;
    if (!rest) return { done: true, value: undefined };
    this.#rest = rest.length > SLICE_BYTES ? rest.subarray(SLICE_BYTES) : undefined;
    return { done: false, value: rest.subarray(0, SLICE_BYTES) };
  }
}

interface ExchangeOptions {
  /** Whether the sink gets compressed answers decoded. */
  decodes?: boolean;
  /** Sends the request again, where its connection turned out to be closed. */
  resend?: () => unknown;
}

/** One request and its answer on an undici connection. */
export class HttpExchange implements UpstreamCall, Dispatcher.DispatchHandler {
  readonly #sink: AnswerSink;
  readonly #decodes: boolean;
  #decoding: ContentDecoding | undefined;
  #controller: Dispatcher.DispatchController | undefined;
  #aborted = false;
  #paused = false;
  #gotHead = false;
  #resend: (() => unknown) | undefined;
  #resends = 0;
  readonly #createdMs = performance.now();
  #startedMs = 0;

  constructor(sink: AnswerSink, { decodes = false, resend }: ExchangeOptions = {}) {
    this.#sink = sink;
    this.#decodes = decodes;
    this.#resend = resend;
  }

  get connectMs(): number | undefined {
    return this.#startedMs === 0 ? undefined : this.#startedMs - this.#createdMs;
  }

  /** Fails an exchange that was never sent. */
  refuse(failure: UpstreamFailure): void {
    if (this.#aborted) return;
    this.#aborted = true;
    this.#sink.onFailure(failure);
  }

  abort(): void {
    this.#aborted = true;
    this.#decoding?.stop();
    this.#controller?.abort(new Error('aborted by the gateway'));
  }

  pause(): void {
    this.#paused = true;
    this.#decoding?.pause();
    this.#controller?.pause();
  }

  resume(): void {
    this.#paused = false;
    this.#decoding?.resume();
    this.#controller?.resume();
  }

  #mayResend(error: Error): boolean {
    if (this.#gotHead || this.#resends >= MOST_RESENDS || !isStale(error)) return false;
    if (BAD_STATUS.test(error.message)) return false; // the provider has answered
    const isUnsent = this.#startedMs === 0; // the connection was reset while undici made sure of it
    return isUnsent || performance.now() - this.#startedMs < STALE_WITHIN_MS;
  }

  onRequestStart(controller: Dispatcher.DispatchController): void {
    this.#startedMs = performance.now();
    this.#controller = controller;
    if (this.#aborted) controller.abort(new Error('aborted by the gateway'));
  }

  onResponseStart(controller: Dispatcher.DispatchController, status: number, headers: HttpHeaders): void {
    if (this.#aborted || status < 200) return;
    this.#gotHead = true;
    this.#resend = undefined; // it holds the body
    if (this.#paused) controller.pause();
    const encodings = this.#decodes ? listEncodings(headers) : [];
    if (encodings.length === 0) this.#sink.onHead(status, headers);
    else this.#openDecoding(encodings, () => this.#sink.onHead(status, withoutEncoding(headers)));
  }

  #openDecoding(encodings: readonly string[], begin: () => void): void {
    const opened = ContentDecoding.open(encodings, {
      onData: (bytes) => this.#sink.onData(bytes),
      onEnd: () => this.#sink.onEnd(),
      onFailure: (failure) => this.#failDecoding(failure),
      holdBack: (isFull) => this.#holdBack(isFull),
    });
    if (!(opened instanceof ContentDecoding)) {
      this.#failDecoding(opened);
      return;
    }
    this.#decoding = opened;
    if (this.#paused) opened.pause();
    begin();
  }

  #failDecoding(failure: UpstreamFailure): void {
    if (this.#aborted) return;
    this.abort();
    this.#sink.onFailure(failure);
  }

  #holdBack(isFull: boolean): void {
    if (isFull) this.#controller?.pause();
    else if (!this.#paused) this.#controller?.resume();
  }

  onResponseData(_controller: Dispatcher.DispatchController, chunk: Buffer): void {
    if (this.#aborted) return;
    if (this.#decoding) this.#decoding.write(chunk);
    else this.#sink.onData(chunk);
  }

  onResponseEnd(): void {
    this.#controller = undefined; // it holds the request and its body
    if (this.#aborted) return;
    if (this.#decoding) this.#decoding.end();
    else this.#sink.onEnd();
  }

  onResponseError(_controller: Dispatcher.DispatchController, error: Error): void {
    this.#controller = undefined;
    if (this.#aborted) return;
    if (this.#resend && this.#mayResend(error)) {
      this.#resends += 1;
      this.#resend();
      return;
    }
    this.#aborted = true;
    this.#decoding?.stop();
    this.#sink.onFailure(toFailure(error, this.#gotHead));
  }
}

const GARBLED = /^(HPE_|UND_ERR_(HEADERS_OVERFLOW|RES_CONTENT_LENGTH_MISMATCH|INVALID_ARG))/;
/** undici's message for a status that answers no request; its code is that of any broken connection. */
const BAD_STATUS = /^bad (?:response|upgrade)$/;

/** A failed connection as a value; system messages name hosts and ports and are only shown to the operator. */
function toFailure(error: Error, gotHead: boolean): UpstreamFailure {
  const code = 'code' in error && typeof error.code === 'string' ? error.code : '';
  const detail = error.message.includes(code) ? error.message : `${code} ${error.message}`.trim();
  if (isGarbled(error, code))
    return { kind: 'garbled', message: 'the provider answered malformed HTTP', detail };
  if (gotHead) return { kind: 'broken', message: 'the provider cut its answer short', detail };
  if (code === 'UND_ERR_CONNECT_TIMEOUT' || code === 'ETIMEDOUT') {
    return { kind: 'timed-out', message: 'the provider did not accept a connection in time', detail };
  }
  if (error instanceof AddressRefused)
    return { kind: 'unreachable', message: 'the address of the provider is not a public one', detail };
  if (NO_DESCRIPTOR.includes(code)) {
    const message = 'This gateway cannot open another connection at the moment. Retry later.';
    return { kind: 'no-descriptor', message, detail, retryAfterSeconds: 1 };
  }
  const fault = findCertificateFault(code);
  const message = fault ? `the provider’s certificate ${fault}` : 'the provider could not be reached';
  return { kind: 'unreachable', message, detail };
}

/** This process or machine has run out of it; not the provider's fault. */
const NO_DESCRIPTOR = ['EMFILE', 'ENFILE'];

/** undici's parse errors only have a code if its parser sets one, which is rare. */
function isGarbled(error: Error, code: string): boolean {
  return error instanceof errors.HTTPParserError || GARBLED.test(code) || BAD_STATUS.test(error.message);
}
