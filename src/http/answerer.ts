import type { IncomingMessage, ServerResponse } from 'node:http';
import type { ClientFormatId } from '#canonical';
import type { Telemetry } from '#telemetry';
import type { RequestHeaders } from '#wire';
import type { Call, Endpoint, HttpPorts } from './endpoint.ts';
import type { Router } from './router.ts';
import { readAddress } from '#accounts';
import { createTimedIdentifier } from '#base';
import { toGatewayError } from '#errors';
import { identify, identifyAdmin, permitAddress, sendError } from '#pipeline';
import { getInboundFormat } from '#wire';
import { findClientAddress } from './client-address.ts';
import { NodeReply } from './node-reply.ts';
import { readBody } from './read-body.ts';

interface AnswererOptions {
  ports: HttpPorts;
  router: Router;
  telemetry: Telemetry;
  /** How long a body may make no progress. */
  bodyMs: number;
}

/** Answers one request; never rejects. */
export type Answer = (request: IncomingMessage, response: ServerResponse) => Promise<void>;

/** Gives every request an id, an endpoint or a 404, and an answer in the right format. */
export function createAnswerer({ ports, router, telemetry, bodyMs }: AnswererOptions): Answer {
  return async (request, response) => {
    const requestId = createTimedIdentifier('req', ports.clock.now());
    const { path, search } = splitTarget(request.url ?? '/');
    const reply = new NodeReply(request, response, { 'x-request-id': requestId });
    if (ports.isDraining()) reply.addHeader('connection', 'close');
    let format = guessFormat(path);
    if (format === 'messages') reply.addHeader('request-id', requestId);
    try {
      const { endpoint, params } = router.find(request.method ?? '', path);
      format = endpoint.format;
      if (format === 'messages') reply.addHeader('request-id', requestId);
      await serve(ports, endpoint, { request, reply, requestId, path, params, search, bodyMs });
    } catch (thrown) {
      const error = toGatewayError(thrown);
      if (error.code === 'internal_error') telemetry.faulted(requestId, error);
      if (error.code === 'method_not_allowed')
        reply.addHeader('allow', router.allowedMethods(path).join(', '));
      sendError(reply, getInboundFormat(format), { error, requestId });
      request.resume();
    }
  };
}

/** The format an address is in, for refusals before an endpoint is found. */
function guessFormat(path: string): ClientFormatId {
  if (path.includes('/messages')) return 'messages';
  if (path.startsWith('/v1beta/') || /\/models\/.+:\w+$/.test(path)) return 'gemini';
  return path.includes('/responses') ? 'responses' : 'chat';
}

interface Visit {
  request: IncomingMessage;
  reply: NodeReply;
  requestId: string;
  path: string;
  params: Call['params'];
  search: string;
  bodyMs: number;
}

async function serve(ports: HttpPorts, endpoint: Endpoint, visit: Visit): Promise<void> {
  const { request, reply, requestId, path, params, search, bodyMs } = visit;
  const startedAt = ports.clock.now();
  const startedMs = ports.clock.monotonicMs();
  const headers = readHeaders(request);
  const clientAddress = findClientAddress(request.socket.remoteAddress, headers, {
    isTrusted: ports.isTrustedProxy,
    isAddress: (text) => readAddress(text) !== undefined,
  });
  const call: Call = {
    requestId,
    method: request.method ?? '',
    path,
    params,
    query: new URLSearchParams(search),
    headers,
    reply,
    arrive: (name, format) => ({
      requestId,
      endpoint: name,
      format: getInboundFormat(format),
      headers,
      startedAt,
      startedMs,
      readBody: () => readBody(request, bodyMs),
      reply,
      ...(clientAddress !== undefined && { clientAddress }),
    }),
    ...(clientAddress !== undefined && { clientAddress }),
  };
  if (endpoint.auth === 'admin') {
    call.admin = await identifyAdmin(ports.accounts, headers);
  } else if (mustIdentify(endpoint, headers)) {
    call.caller = await identify(ports.accounts, headers, { sessions: endpoint.auth !== 'regular' });
    permitAddress(call.caller, clientAddress);
  }
  await endpoint.handle(call, ports);
}

function mustIdentify({ auth }: Endpoint, headers: RequestHeaders): boolean {
  return auth === 'regular' || auth === 'caller' || (auth === 'optional' && hasCredential(headers));
}

/** Node keeps the first of several `authorization` headers in silence; whoever reads them must see that they differ. */
function readHeaders(request: IncomingMessage): RequestHeaders {
  const { headers, rawHeaders } = request;
  let credentials = 0;
  for (let at = 0; at < rawHeaders.length; at += 2)
    if (AUTHORIZATION.test(rawHeaders[at] ?? '')) credentials += 1;
  return credentials > 1 ? { ...headers, authorization: request.headersDistinct.authorization } : headers;
}

const AUTHORIZATION = /^authorization$/i;

function hasCredential(headers: RequestHeaders): boolean {
  return ['authorization', 'x-api-key', 'x-goog-api-key'].some((name) => headers[name] !== undefined);
}

/** Path and query of a request target; anything but a path is refused by the router. */
function splitTarget(target: string): { path: string; search: string } {
  const at = target.indexOf('?');
  return at === -1
    ? { path: target, search: '' }
    : { path: target.slice(0, at), search: target.slice(at + 1) };
}
