import type { LookupFunction } from 'node:net';
import type { UpstreamFailure } from '#errors';
import type { JsonObject } from '#base';
import type { FailedResponse } from '#wire';
import type { AnswerSink, UpstreamCall } from './transport.ts';
import { Agent, type Dispatcher, Pool } from 'undici';
import { createPublicLookup, isPublicHost, parseJsonObject } from '#base';
import { ShortAnswer } from './short-answer.ts';
import { CONNECTION, HttpExchange } from './transports/http.ts';

/** A request for something a provider stores, such as a job or its result. */
export interface ResourceRequest {
  method: 'GET' | 'POST' | 'DELETE';
  /** Relative to the base URL if it begins with a slash, else absolute. */
  url: string;
  headers?: Readonly<Record<string, string>>;
  body?: string | Buffer;
}

/** A short JSON answer, or the failure. */
type ResourceAnswer = { body: JsonObject } | { failure: UpstreamFailure };

interface ResourceClientOptions {
  baseUrl: string;
  /** Credential headers; only sent to the origin of the base URL. */
  credential: Readonly<Record<string, string>>;
  connectTimeoutMs: number;
  /** Checks the addresses of the provider's own host if a tenant configured it. */
  lookup?: LookupFunction;
  decodeFailure(response: FailedResponse): UpstreamFailure;
}

const MOST_ANSWER_BYTES = 4 * 1024 * 1024;

/**
 * Fetches objects that a provider stores. Addresses elsewhere that the provider names are called without its credential,
 * and only if they are public. Never follows a redirect.
 */
export class ResourceClient {
  readonly baseUrl: string;
  readonly #options: ResourceClientOptions;
  readonly #origin: string;
  readonly #own: Pool;
  readonly #elsewhere: Agent;

  constructor(options: ResourceClientOptions) {
    const { connectTimeoutMs: timeout, lookup } = options;
    this.baseUrl = options.baseUrl.replace(/\/+$/, '');
    this.#options = options;
    this.#origin = new URL(options.baseUrl).origin;
    this.#own = new Pool(this.#origin, { ...CONNECTION, connect: { timeout, ...(lookup && { lookup }) } });
    this.#elsewhere = new Agent({ ...CONNECTION, connect: { timeout, lookup: createPublicLookup() } });
  }

  /** Sends a request whose answer is streamed. */
  send(request: ResourceRequest, sink: AnswerSink): UpstreamCall {
    const exchange = new HttpExchange(sink);
    const { method, body = null } = request;
    const text = request.url.startsWith('/') ? this.baseUrl + request.url : request.url;
    const url = URL.parse(text);
    const isOwn = url?.origin === this.#origin;
    if (!url || (!isOwn && !isPublicUrl(url))) {
      queueMicrotask(() => exchange.refuse(createForeign(text)));
      return exchange;
    }
    const headers = {
      'accept-encoding': 'identity',
      ...request.headers,
      ...(isOwn && this.#options.credential),
    };
    const path = url.pathname + url.search;
    const options: Dispatcher.DispatchOptions = { origin: url.origin, method, path, headers, body };
    if (isOwn) this.#own.dispatch(options, exchange);
    else this.#elsewhere.dispatch(options, exchange);
    return exchange;
  }

  /** Sends a request with a short JSON object as its answer. */
  ask(request: ResourceRequest, limitMs: number, mostBytes = MOST_ANSWER_BYTES): Promise<ResourceAnswer> {
    const { promise, resolve } = Promise.withResolvers<ResourceAnswer>();
    const fail = (failure: UpstreamFailure): void => resolve({ failure });
    const leave = (failure: UpstreamFailure): void => {
      call.abort();
      fail(failure);
    };
    const answer = new ShortAnswer(mostBytes, {
      onWhole: (response) => resolve(readAnswer(response, this.#options.decodeFailure)),
      onTooMuch: () => leave({ kind: 'garbled', message: 'the provider’s answer is too large' }),
      onFailure: fail,
    });
    const call = this.send(request, answer);
    const limit = setTimeout(
      () => leave({ kind: 'timed-out', message: 'the provider did not answer in time' }),
      limitMs,
    );
    return promise.finally(() => clearTimeout(limit));
  }

  async drain(): Promise<void> {
    await Promise.all([this.#own.close(), this.#elsewhere.close()]);
  }

  async close(): Promise<void> {
    await Promise.all([this.#own.destroy(), this.#elsewhere.destroy()]);
  }
}

/** Only the operator sees the address: it may contain a signature. */
function createForeign(address: string): UpstreamFailure {
  const detail = `refused: ${address.split('?', 1)[0]?.slice(0, 200) ?? ''}`;
  return { kind: 'garbled', message: 'the provider named an address that must not be called', detail };
}

function readAnswer(
  response: FailedResponse,
  decodeFailure: ResourceClientOptions['decodeFailure'],
): ResourceAnswer {
  const { status, body: text } = response;
  const body = status >= 200 && status < 300 ? parseJsonObject(text || '{}') : undefined;
  if (body) return { body };
  return { failure: status >= 400 ? decodeFailure(response) : createGarbled(status, text) };
}

function createGarbled(status: number, text: string): UpstreamFailure {
  const isRedirect = status >= 300 && status < 400;
  return {
    kind: isRedirect ? 'broken' : 'garbled',
    message: isRedirect
      ? 'the provider redirected the request'
      : 'the provider’s answer is not a JSON object',
    status,
    detail: text.slice(0, 2048),
  };
}

/**
 * A provider-named address that may be called without a credential; its host is resolved and checked at the connection.
 */
function isPublicUrl({ protocol, hostname, port, username, password }: URL): boolean {
  const isBare = port === '' && username === '' && password === '';
  return protocol === 'https:' && isBare && isPublicHost(hostname);
}
