import type { Server } from 'node:http';
import type { Socket } from 'node:net';
import type { Duplex } from 'node:stream';
import type { Telemetry } from '#telemetry';
import type { HttpPorts } from './endpoint.ts';
import { createServer } from 'node:http';
import { createIdentifier } from '#base';
import { GatewayError } from '#errors';
import { getInboundFormat } from '#wire';
import { createAnswerer } from './answerer.ts';
import { ENDPOINTS } from './endpoints/index.ts';
import { createRouter } from './router.ts';

const HEADERS_TIMEOUT_MS = 10_000;
const KEEP_ALIVE_MS = 65_000;
const MAX_HEADER_BYTES = 64 * 1024;

export interface HttpServerOptions {
  ports: HttpPorts;
  telemetry: Telemetry;
}

export interface HttpServer {
  server: Server;
  /** Requests whose answer or bookkeeping is not over. */
  readonly openRequests: number;
  /** Resolves once no request is open. */
  idle(): Promise<void>;
}

/** The HTTP server of the gateway, not listening yet. */
export function createHttpServer({ ports, telemetry }: HttpServerOptions): HttpServer {
  const answer = createAnswerer({ ports, telemetry, router: createRouter(ENDPOINTS) });
  const open = new Set<Promise<void>>();
  const track = (work: Promise<void>): void => {
    open.add(work);
    void work.finally(() => open.delete(work));
  };
  const server = createServer(
    {
      headersTimeout: HEADERS_TIMEOUT_MS,
      requestTimeout: 0, // the body has its own clock in readBody
      keepAliveTimeout: KEEP_ALIVE_MS,
      maxHeaderSize: MAX_HEADER_BYTES,
      noDelay: true,
      requireHostHeader: false,
    },
    (request, response) => track(answer(request, response)),
  );
  server.on('checkContinue', (request, response) => {
    response.writeContinue();
    track(answer(request, response));
  });
  server.on('clientError', refuseConnection);
  server.on('connect', (_request, socket: Duplex) => socket.destroy());
  server.on('connection', (socket: Socket) => socket.setKeepAlive(true, KEEP_ALIVE_MS));
  return {
    server,
    get openRequests() {
      return open.size;
    },
    idle: async () => {
      while (open.size > 0) await Promise.all(open);
    },
  };
}

/** Bytes that are no HTTP request: a plain answer, then the connection ends. */
function refuseConnection(error: NodeJS.ErrnoException, socket: Duplex): void {
  if (!socket.writable || error.code === 'ECONNRESET') {
    socket.destroy();
    return;
  }
  const refusal = toRefusal(error.code);
  const body = JSON.stringify(getInboundFormat('chat').encodeError(refusal, createIdentifier('req')));
  socket.end(
    `HTTP/1.1 ${refusal.status} ${REASONS[refusal.status] ?? 'Bad Request'}\r\ncontent-type: application/json\r\n` +
      `content-length: ${Buffer.byteLength(body)}\r\nconnection: close\r\n\r\n${body}`,
  );
}

const REASONS: Record<number, string> = { 408: 'Request Timeout', 431: 'Request Header Fields Too Large' };

function toRefusal(code: string | undefined): GatewayError {
  if (code === 'HPE_HEADER_OVERFLOW') {
    return new GatewayError('headers_too_large', 'the request headers are larger than 64 KiB');
  }
  if (code === 'ERR_HTTP_REQUEST_TIMEOUT') {
    return new GatewayError('request_timeout', 'the request headers did not arrive in time');
  }
  return new GatewayError('malformed_http', 'the request is not valid HTTP');
}
