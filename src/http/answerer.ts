import type { HttpHeaders } from '#base';
import type { IncomingMessage, ServerResponse } from 'node:http';
import type { ClientFormatId } from '#canonical';
import type { Telemetry } from '#telemetry';
import type { Endpoint, HttpPorts } from './endpoint.ts';
import type { Router } from './router.ts';
import { hasCredential, createNotForMembers } from '#accounts';
import { createTimedIdentifier } from '#base';
import { CLIENT_FORMATS } from '#canonical';
import { GatewayError, toGatewayError } from '#errors';
import { identify, permitAddress, sendError } from '#pipeline';
import { CLIENT_FACTS, getInboundFormat } from '#wire';
import { identifyAdmin } from './dashboard/identify-admin.ts';
import { allowOrigin, describePreflight } from './cross-origin.ts';
import { HEALTH_PATHS } from './host-check.ts';
import { IncomingCall } from './incoming-call.ts';
import { withKey } from './gateway/key-in-query.ts';
import { BodyMemory } from './connection/body-memory.ts';
import { withoutPrefix } from './unserved.ts';
import { NodeReply, type OpenStreams } from './connection/node-reply.ts';

const RETRY_AFTER_SECONDS = 1;

interface AnswererOptions {
  ports: HttpPorts;
  router: Router;
  telemetry: Telemetry;
  streams: OpenStreams;
  /** How long a body may make no progress, and how long a complete answer may stay unread. */
  limits: { bodyMs: number; unreadMs: number; openBodyBytes: number };
}

/** Answers one request, or refuses it if its connection exceeds the limit; never rejects. */
type Answer = (request: IncomingMessage, response: ServerResponse, isTooMany: boolean) => Promise<void>;

/** Gives every request an id, an endpoint or a 404, and errors in the right format. */
export function createAnswerer({ ports, router, telemetry, streams, limits }: AnswererOptions): Answer {
  const { bodyMs, unreadMs } = limits;
  const bodies = new BodyMemory(limits.openBodyBytes);
  return async (request, response, isTooMany) => {
    const requestId = createTimedIdentifier('req', ports.clock.now());
    const { path: target, search } = splitTarget(request.url ?? '/');
    const path = withoutPrefix(target);
    const ids = { 'x-request-id': requestId, 'request-id': requestId };
    const reply = new NodeReply({ request, response, streams }, ids, unreadMs);
    if (isTooMany || ports.isDraining()) reply.addHeader('connection', 'close');
    const shared = allowOrigin(request, path, ports.corsOrigins);
    for (const [name, value] of Object.entries(shared ?? {})) reply.addHeader(name, value);
    let format: ClientFormatId | undefined;
    try {
      requireHost(request);
      ports.checkHost(request.headers.host, path);
      if (isTooMany && !HEALTH_PATHS.includes(path)) throw createTooMany();
      const preflight = shared && describePreflight(request, router.allowedMethods(path));
      if (preflight) {
        reply.send(204, preflight, '');
        return;
      }
      const { endpoint, params } = router.find(request.method ?? '', path);
      format = endpoint.format;
      const incoming = {
        requestId,
        path,
        search,
        params,
        bodyMs,
        bodies,
        mostBodyBytes: endpoint.mostBodyBytes,
      };
      const call = new IncomingCall(ports, { request, reply }, incoming);
      if (mustIdentify(endpoint, readCredentials(endpoint, call))) await findCaller(ports, endpoint, call);
      await endpoint.handle(call, ports);
    } catch (thrown) {
      const error = toGatewayError(thrown);
      if (error.code === 'internal_error') telemetry.faulted(requestId, error);
      if (error.code === 'method_not_allowed')
        reply.addHeader('allow', router.allowedMethods(path).join(', '));
      sendError(reply, getInboundFormat(format ?? guessFormat(path)), { error, requestId });
      request.resume();
    }
  };
}

/** Node's own refusal has no body. HTTP/1.0, which some probes speak, has no `Host`. */
function requireHost({ headers, httpVersion, rawHeaders }: IncomingMessage): void {
  if (headers.host === undefined && httpVersion !== '1.0')
    throw new GatewayError('malformed_http', 'the request has no Host header', { param: 'host' });
  // Node takes the first, a proxy in front maybe the last.
  if (countHosts(rawHeaders) > 1)
    throw new GatewayError('malformed_http', 'the request has more than one Host header', { param: 'host' });
}

const HOST = /^host$/i;

/** Counts in `rawHeaders`, which alternates names and values. */
function countHosts(rawHeaders: readonly string[]): number {
  let count = 0;
  for (let at = 0; at < rawHeaders.length; at += 2) if (HOST.test(rawHeaders[at] ?? '')) count += 1;
  return count;
}

function createTooMany(): GatewayError {
  return new GatewayError('too_many_connections', 'all connections of this gateway are busy; retry', {
    retryAfterSeconds: RETRY_AFTER_SECONDS,
  });
}

/** The format of a refusal before an endpoint is found; `chat` has no paths of its own. */
function guessFormat(path: string): ClientFormatId {
  return CLIENT_FORMATS.findLast((format) => CLIENT_FACTS[format].path?.test(path)) ?? 'chat';
}

/** Identifies the caller before the endpoint runs, unless the generation path does that itself. */
async function findCaller(ports: HttpPorts, endpoint: Endpoint, call: IncomingCall): Promise<void> {
  const { auth, isForMembers } = endpoint;
  if (auth === 'admin') {
    call.admin = await identifyAdmin(ports, call);
    if (call.admin.memberId !== undefined && isForMembers !== true) throw createNotForMembers();
    return;
  }
  call.caller = await identify(ports.accounts, readCredentials(endpoint, call), {
    sessions: auth !== 'regular',
  });
  permitAddress(call.caller, call.clientAddress);
}

function readCredentials({ takesKeyInQuery }: Endpoint, { headers, query }: IncomingCall): HttpHeaders {
  return takesKeyInQuery === true ? withKey(headers, query) : headers;
}

function mustIdentify({ auth }: Endpoint, headers: HttpHeaders): boolean {
  if (auth === 'path' || auth === 'none') return false;
  return auth !== 'optional' || hasCredential(headers);
}

/** Path and query of a request target; the router refuses anything but a path. */
function splitTarget(target: string): { path: string; search: string } {
  const at = target.indexOf('?');
  return at === -1
    ? { path: target, search: '' }
    : { path: target.slice(0, at), search: target.slice(at + 1) };
}
