import type { HttpHeaders } from '#base';
import type { IncomingMessage } from 'node:http';
import type { AdminCaller, Caller } from '#accounts';
import type { ClientFormatId } from '#canonical';
import type { Arrival } from '#pipeline';
import type { BodyMemory, BodyShare } from './connection/body-memory.ts';
import type { Call, HttpPorts } from './endpoint.ts';
import type { NodeReply } from './connection/node-reply.ts';
import { readAddress } from '#accounts';
import { getInboundFormat } from '#wire';
import { findClientAddress } from './connection/client-address.ts';
import { readBody } from './connection/read-body.ts';

/** The segment of a path that names the model, as clients of Azure send it. */
export const DEPLOYMENT = 'deployment';

interface Incoming {
  requestId: string;
  path: string;
  /** The query after the `?` of the target. */
  search: string;
  params: Call['params'];
  /** How long the body may make no progress. */
  bodyMs: number;
  /** The longest accepted body; undefined for the general limit. */
  mostBodyBytes: number | undefined;
  /** The memory shared by all bodies. */
  bodies: BodyMemory;
}

/** One request to one endpoint as it arrived. */
export class IncomingCall implements Call {
  readonly headers: HttpHeaders;
  readonly reply: NodeReply;
  readonly clientAddress: string | undefined;
  caller?: Caller;
  admin?: AdminCaller;
  readonly #request: IncomingMessage;
  readonly #incoming: Incoming;
  #query: URLSearchParams | undefined;
  readonly #startedAt: number;
  readonly #startedMs: number;

  constructor(
    ports: HttpPorts,
    connection: { request: IncomingMessage; reply: NodeReply },
    incoming: Incoming,
  ) {
    const { request, reply } = connection;
    this.headers = readHeaders(request);
    this.reply = reply;
    this.clientAddress = findClientAddress(request.socket.remoteAddress, this.headers, {
      isTrusted: ports.isTrustedProxy,
      isAddress,
    });
    this.#request = request;
    this.#incoming = incoming;
    this.#startedAt = ports.clock.now();
    this.#startedMs = ports.clock.monotonicMs();
  }

  get requestId(): string {
    return this.#incoming.requestId;
  }

  get path(): string {
    return this.#incoming.path;
  }

  get params(): Call['params'] {
    return this.#incoming.params;
  }

  get method(): string {
    return this.#request.method ?? '';
  }

  get query(): URLSearchParams {
    return (this.#query ??= new URLSearchParams(this.#incoming.search));
  }

  #openShare(announced: number, tenant: string | undefined): BodyShare {
    const share = this.#incoming.bodies.open(announced, tenant);
    this.reply.onBegun(share.release);
    return share;
  }

  arrive(endpoint: string, format: ClientFormatId): Arrival {
    const { headers, reply, clientAddress } = this;
    const { requestId, params, bodyMs, mostBodyBytes } = this.#incoming;
    const limits = { limitMs: bodyMs, mostBytes: mostBodyBytes };
    const arrival: Arrival = {
      requestId,
      endpoint,
      format: getInboundFormat(format),
      model: params[DEPLOYMENT],
      headers,
      clientAddress,
      startedAt: this.#startedAt,
      startedMs: this.#startedMs,
      tenant: (this.caller ?? this.admin)?.organizationId,
      readBody: () =>
        readBody(this.#request, { ...limits, openShare: (bytes) => this.#openShare(bytes, arrival.tenant) }),
      reply,
    };
    return arrival;
  }
}

function isAddress(text: string): boolean {
  return readAddress(text) !== undefined;
}

/** Node silently keeps the first of several `authorization` headers; credential checks must see that they differ. */
function readHeaders(request: IncomingMessage): HttpHeaders {
  const { headers, rawHeaders } = request;
  let credentials = 0;
  for (let at = 0; at < rawHeaders.length; at += 2)
    if (AUTHORIZATION.test(rawHeaders[at] ?? '')) credentials += 1;
  return credentials > 1 ? { ...headers, authorization: request.headersDistinct['authorization'] } : headers;
}

const AUTHORIZATION = /^authorization$/i;
