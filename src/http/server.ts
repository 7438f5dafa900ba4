import type { IncomingMessage, Server, ServerResponse } from 'node:http';
import { Server as NetServer, type Socket } from 'node:net';
import type { Duplex } from 'node:stream';
import type { Telemetry } from '#telemetry';
import type { HttpPorts } from './endpoint.ts';
import { createServer } from 'node:http';
import { createIdentifier, startDeadline } from '#base';
import { GatewayError } from '#errors';
import { getInboundFormat } from '#wire';
import { chooseBodyBytes } from './connection/body-memory.ts';
import { createAnswerer } from './answerer.ts';
import { Connections } from './connection/connections.ts';
import { ENDPOINTS } from './endpoints/index.ts';
import { createRouter } from './router.ts';

/** Timeouts for parts of the request and of its answer, and the memory for all open bodies. */
const LIMITS = { headersMs: 10_000, bodyMs: 60_000, unreadMs: 60_000, openBodyBytes: chooseBodyBytes() };
/** How often Node checks for timed-out connections; its default is 30 s. */
const LOOK_EVERY_MS = 1_000;
const KEEP_ALIVE_MS = 65_000;
const MAX_HEADER_BYTES = 64 * 1024;
/** How long a refused connection stays open for the client to read the refusal. */
const LINGER_MS = 1_000;

export interface HttpServerOptions {
  ports: HttpPorts;
  telemetry: Telemetry;
  /** The most open connections; unlimited by default. */
  maxConnections?: number;
  /**
   * Defaults: 10 s for the headers, 60 s for any 16 KiB of the body, and 60 s without reading anything of the answer.
   */
  limits?: Partial<typeof LIMITS>;
}

export interface HttpServer {
  server: Server;
  /** Requests whose answer or bookkeeping is not finished. */
  readonly openRequests: number;
  /** Answers that are sent in parts and have not ended. */
  readonly openStreams: number;
  /** Resolves once no request is open. */
  idle(): Promise<void>;
  /** Closes the port alone: unlike Node's `close`, it leaves idle connections to `closeIdle`. */
  stopListening(): void;
  /** Closes connections that have been idle for this long, also those that never carried a request. */
  closeIdle(idleMs: number): void;
}

/** The HTTP server of the gateway, not listening yet. */
export function createHttpServer(options: HttpServerOptions): HttpServer {
  const { ports, telemetry, limits, maxConnections } = options;
  const { headersMs, ...answerLimits } = { ...LIMITS, ...limits };
  const streams = { count: 0 };
  const router = createRouter(ENDPOINTS);
  const answer = createAnswerer({ ports, telemetry, streams, limits: answerLimits, router });
  const open = new OpenRequests();
  const serve = (request: IncomingMessage, response: ServerResponse): void => {
    const { socket } = request;
    open.begin();
    connections.begin(socket, response);
    void answer(request, response, connections.isRefused(socket)).then(() => {
      open.end();
      connections.end(socket);
    });
  };
  const server = createServer(
    {
      headersTimeout: headersMs,
      connectionsCheckingInterval: LOOK_EVERY_MS,
      requestTimeout: 0, // readBody has its own timeout
      keepAliveTimeout: KEEP_ALIVE_MS,
      maxHeaderSize: MAX_HEADER_BYTES,
      noDelay: true,
      requireHostHeader: false,
    },
    serve,
  );
  server.on('checkContinue', (request, response) => {
    response.writeContinue();
    serve(request, response);
  });
  server.on('checkExpectation', serve); // an unknown expectation is not a reason to refuse
  const connections = new Connections(server, maxConnections);
  refuseGarbage(server, connections);
  server.on('connection', (socket: Socket) => void socket.setKeepAlive(true, KEEP_ALIVE_MS));
  return {
    server,
    get openRequests() {
      return open.count;
    },
    get openStreams() {
      return streams.count;
    },
    idle: () => open.idle(),
    stopListening: () => void NetServer.prototype.close.call(server),
    closeIdle: (idleMs) => connections.closeIdle(idleMs),
  };
}

/** Counts open requests; a Set would rehash often and keep its old tables. */
class OpenRequests {
  count = 0;
  #waiting: (() => void)[] = [];

  begin(): void {
    this.count += 1;
  }

  readonly end = (): void => {
    this.count -= 1;
    if (this.count === 0) for (const resolve of this.#waiting.splice(0)) resolve();
  };

  /** Resolves once none is open. */
  idle(): Promise<void> {
    if (this.count === 0) return Promise.resolve();
    return new Promise((resolve) => this.#waiting.push(resolve));
  }
}

/** Answers bytes that are not an HTTP request, or ask for a tunnel, with a plain error and closes the connection. */
function refuseGarbage(server: Server, connections: Connections): void {
  server.on('clientError', (error: NodeJS.ErrnoException, socket) => {
    const answer = connections.answerOf(socket);
    const isAnswering = answer?.headersSent === true && !answer.writableFinished;
    // The client would read the refusal as part of the answer in progress.
    if (isAnswering || !socket.writable || error.code === 'ECONNRESET') socket.destroy();
    else refuseConnection(socket, toRefusal(error.code));
  });
  // A timeout for an unread answer stays on the connection and must not apply to the next answer.
  server.on('timeout', (socket: Socket) => {
    if (connections.answerOf(socket)?.writableFinished !== false) socket.destroy();
  });
  server.on('connect', (_request, socket: Duplex) => refuseConnection(socket, toRefusal(undefined)));
}

function refuseConnection(socket: Duplex, refusal: GatewayError): void {
  const requestId = createIdentifier('req');
  const body = JSON.stringify(getInboundFormat('chat').encodeError(refusal, requestId));
  socket.on('error', () => undefined);
  socket.end(
    `HTTP/1.1 ${refusal.status} ${REASONS[refusal.status] ?? 'Bad Request'}\r\nx-request-id: ${requestId}\r\n` +
      `request-id: ${requestId}\r\ncontent-type: application/json\r\ncontent-length: ${Buffer.byteLength(body)}\r\nconnection: close\r\n\r\n${body}`,
  );
  // A client that does not close its side would keep the connection open: Node no longer watches it.
  const linger = startDeadline(LINGER_MS, () => socket.destroy());
  socket.on('close', () => linger.stop());
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
