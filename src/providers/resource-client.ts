import type { UpstreamFailure } from '#errors';
import type { AddressRules, JsonObject } from '#base';
import type { FailedResponse, RequestHeaders } from '#wire';
import type { AnswerSink, UpstreamCall } from './transport.ts';
import { Agent, type Dispatcher, Pool } from 'undici';
import { createPublicLookup, isPublicHost, isTrustedUrl, parseJsonObject } from '#base';
import { Download } from './download.ts';
import { HttpExchange } from './transports/http.ts';

/** A request for something a provider keeps, such as a job or its result. */
export interface ResourceRequest {
  method: 'GET' | 'POST' | 'DELETE';
  /** Below the base URL where it begins with a slash, else a whole address. */
  url: string;
  headers?: Readonly<Record<string, string>>;
  body?: string | Buffer;
}

/** A short answer in JSON, or why there is none. */
export type ResourceAnswer = { body: JsonObject } | { failure: UpstreamFailure };

export interface ResourceClientOptions {
  baseUrl: string;
  /** Headers that prove who asks; they reach the origin of the base URL and no other. */
  credential: Readonly<Record<string, string>>;
  connectTimeoutMs: number;
  /** Which addresses it may name besides its own; public ones over https unless told. */
  outside?: AddressRules;
  decodeFailure(response: FailedResponse): UpstreamFailure;
}

const KEEP_ALIVE_MS = 30_000;
const MAX_HEADER_BYTES = 64 * 1024;
/** What is read of an answer that nobody takes: a hundred readers may stand still at once. */
const READ_AHEAD_BYTES = 16 * 1024;
const MOST_ANSWER_BYTES = 4 * 1024 * 1024;

/**
 * Asks a provider for what it keeps. Addresses that the provider names elsewhere are asked without its credential, and only
 * where they are public or the operator vouches for them. Only downloads follow redirects.
 */
export class ResourceClient {
  readonly baseUrl: string;
  readonly #options: ResourceClientOptions;
  readonly #origin: string;
  readonly #own: Pool;
  readonly #elsewhere: Agent;
  /** Hosts the operator vouches for: they may be private. */
  readonly #vouched: Agent;

  constructor(options: ResourceClientOptions) {
    const common = {
      allowH2: false,
      pipelining: 1,
      // Whoever asks keeps the clocks.
      headersTimeout: 0,
      bodyTimeout: 0,
      keepAliveTimeout: KEEP_ALIVE_MS,
      maxHeaderSize: MAX_HEADER_BYTES,
    };
    const timeout = options.connectTimeoutMs;
    this.baseUrl = options.baseUrl.replace(/\/+$/, '');
    this.#options = options;
    this.#origin = new URL(options.baseUrl).origin;
    const connect = { timeout, highWaterMark: READ_AHEAD_BYTES };
    const lookup = createPublicLookup(options.outside?.resolveHost);
    this.#own = new Pool(this.#origin, { ...common, connect });
    this.#elsewhere = new Agent({ ...common, connect: { ...connect, lookup } });
    this.#vouched = new Agent({ ...common, connect });
  }

  /** Sends a request whose answer is read as it comes. */
  send(request: ResourceRequest, sink: AnswerSink): UpstreamCall {
    const url = this.#locate(request.url);
    return url ? this.#send({ ...request, url, isGuest: false }, sink) : refuse(request.url, sink);
  }

  /** Reads what is kept at an address, through a few redirects. */
  download(address: string, headers: Readonly<Record<string, string>>, sink: AnswerSink): UpstreamCall {
    const url = this.#locate(address);
    if (!url) return refuse(address, sink);
    const download = new Download(
      url,
      (at, isGuest, hop) => this.#send({ method: 'GET', url: at, isGuest, headers }, hop),
      sink,
    );
    download.begin();
    return download;
  }

  #locate(address: string): URL | null {
    return URL.parse(address.startsWith('/') ? this.baseUrl + address : address);
  }

  #send({ url, isGuest, ...request }: Sending, sink: AnswerSink): UpstreamCall {
    const isOwn = url.origin === this.#origin;
    const dispatcher = isOwn ? this.#own : this.#findDispatcher(url);
    if (!dispatcher) return refuse(url.href, sink);
    const exchange = new HttpExchange(sink);
    const { method, body = null } = request;
    const headers = {
      'accept-encoding': 'identity',
      ...request.headers,
      ...(isOwn && !isGuest && this.#options.credential),
    };
    const path = url.pathname + url.search;
    dispatcher.dispatch({ origin: url.origin, method, path, headers, body }, exchange);
    return exchange;
  }

  /** How an address elsewhere is reached; absent where it may not be. Its host is looked up at the connection. */
  #findDispatcher(url: URL): Dispatcher | undefined {
    const { protocol, username, password } = url;
    const isPlain = protocol === 'http:' && this.#origin.startsWith('http:');
    if ((protocol !== 'https:' && !isPlain) || username !== '' || password !== '') return undefined;
    if (isTrustedUrl(url, this.#options.outside)) return this.#vouched;
    const isPublic = protocol === 'https:' && url.port === '' && isPublicHost(url.hostname);
    return isPublic ? this.#elsewhere : undefined;
  }

  /** Sends a request whose answer is a short JSON object. */
  ask(request: ResourceRequest, limitMs: number, mostBytes = MOST_ANSWER_BYTES): Promise<ResourceAnswer> {
    const { promise, resolve } = Promise.withResolvers<ResourceAnswer>();
    const { decodeFailure } = this.#options;
    const answer = new ShortAnswer(resolve, decodeFailure, mostBytes);
    const call = this.send(request, answer);
    const limit = setTimeout(() => {
      call.abort();
      resolve({ failure: { kind: 'timed-out', message: 'the provider did not answer in time' } });
    }, limitMs);
    answer.onTooMuch = () => call.abort();
    return promise.finally(() => clearTimeout(limit));
  }

  async drain(): Promise<void> {
    await Promise.all([this.#own, this.#elsewhere, this.#vouched].map((dispatcher) => dispatcher.close()));
  }

  async close(): Promise<void> {
    await Promise.all([this.#own, this.#elsewhere, this.#vouched].map((dispatcher) => dispatcher.destroy()));
  }
}

/** A request with its address read. */
interface Sending extends Omit<ResourceRequest, 'url'> {
  url: URL;
  /** Whether it goes without the provider's credential, wherever it goes. */
  isGuest: boolean;
}

function refuse(address: string, sink: AnswerSink): UpstreamCall {
  const exchange = new HttpExchange(sink);
  queueMicrotask(() => exchange.refuse(createForeign(address)));
  return exchange;
}

/** The address is for the operator: it may carry a signature. */
function createForeign(address: string): UpstreamFailure {
  const detail = `refused: ${address.split('?', 1)[0]?.slice(0, 200) ?? ''}`;
  return { kind: 'garbled', message: 'the provider named an address that may not be asked', detail };
}

class ShortAnswer implements AnswerSink {
  readonly #resolve: (answer: ResourceAnswer) => void;
  readonly #decodeFailure: (response: FailedResponse) => UpstreamFailure;
  readonly #mostBytes: number;
  readonly #parts: Buffer[] = [];
  #size = 0;
  #status = 0;
  #headers: RequestHeaders = {};
  onTooMuch: () => void = () => undefined;

  constructor(
    resolve: (answer: ResourceAnswer) => void,
    decodeFailure: (response: FailedResponse) => UpstreamFailure,
    mostBytes: number,
  ) {
    this.#resolve = resolve;
    this.#decodeFailure = decodeFailure;
    this.#mostBytes = mostBytes;
  }

  onHead(status: number, headers: RequestHeaders): void {
    this.#status = status;
    this.#headers = headers;
  }

  onData(bytes: Buffer): void {
    this.#size += bytes.length;
    if (this.#size <= this.#mostBytes) this.#parts.push(bytes);
    else {
      this.onTooMuch();
      this.#resolve({ failure: { kind: 'garbled', message: 'the provider answered far too much' } });
    }
  }

  onEnd(): void {
    const text = Buffer.concat(this.#parts).toString('utf8');
    const [status, headers] = [this.#status, this.#headers];
    const body = status >= 200 && status < 300 ? parseJsonObject(text || '{}') : undefined;
    if (body) this.#resolve({ body });
    else if (status >= 400) this.#resolve({ failure: this.#decodeFailure({ status, headers, body: text }) });
    else this.#resolve({ failure: createGarbled(status, text) });
  }

  onFailure(failure: UpstreamFailure): void {
    this.#resolve({ failure });
  }
}

function createGarbled(status: number, text: string): UpstreamFailure {
  const isRedirect = status >= 300 && status < 400;
  return {
    kind: isRedirect ? 'broken' : 'garbled',
    message: isRedirect
      ? 'the provider redirected the request elsewhere'
      : 'the provider answered no JSON object',
    status,
    detail: text.slice(0, 2048),
  };
}
