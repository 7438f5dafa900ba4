import { buildConnector } from 'undici';
import { skipContinue } from './skip-continue.ts';

/** Errors of a connection that had served a request before. */
const STALE = new WeakSet<Error>();
const CLOSED: ReadonlySet<unknown> = new Set(['ECONNRESET', 'EPIPE', 'UND_ERR_SOCKET']);

/**
 * A connector whose connections report in their errors whether they have served a request, and which skip `100 Continue`.
 */
export function createConnector(options: buildConnector.BuildOptions): buildConnector.connector {
  const connect = buildConnector(options);
  return (target, callback) =>
    connect(target, (...result) => {
      const [, socket] = result;
      if (socket) skipContinue(socket);
      socket?.prependListener('error', (error: Error) => {
        if (socket.bytesRead > 0) STALE.add(error);
      });
      callback(...result);
    });
}

/**
 * Whether a kept-alive connection was closed just as it was used. The provider has not worked on the request, which is
 * sent again on another connection.
 */
export function isStale(error: Error): boolean {
  if (!('code' in error) || !CLOSED.has(error.code)) return false;
  if (STALE.has(error)) return true;
  const { socket } = error as { socket?: { bytesRead?: number } };
  return (socket?.bytesRead ?? 0) > 0;
}
