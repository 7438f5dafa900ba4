import { connect, createServer } from 'node:net';

/** Whether a port can be listened on now; otherwise the reason. */
export async function probePort(
  host: string,
  port: number,
): Promise<{ free: true } | { free: false; reason: string }> {
  const server = createServer();
  const { promise, resolve } = Promise.withResolvers<{ free: true } | { free: false; reason: string }>();
  server.once('error', (error: NodeJS.ErrnoException) => resolve({ free: false, reason: describe(error) }));
  server.listen({ host, port, exclusive: true }, () => server.close(() => resolve({ free: true })));
  return promise;
}

const CONNECT_MS = 1_000;

/** Whether an address accepts connections. */
export async function isListening(url: string): Promise<boolean> {
  const { hostname, port } = new URL(url);
  const socket = connect({ host: hostname.replace(/^\[|\]$/g, ''), port: Number(port), timeout: CONNECT_MS });
  const { promise, resolve } = Promise.withResolvers<boolean>();
  socket.once('connect', () => resolve(true));
  socket.once('timeout', () => resolve(false));
  socket.once('error', () => resolve(false));
  return promise.finally(() => socket.destroy());
}

function describe(error: NodeJS.ErrnoException): string {
  switch (error.code) {
    case 'EADDRINUSE':
      return 'another program listens there';
    case 'EACCES':
      return 'this user may not listen there';
    case 'EADDRNOTAVAIL':
      return 'this machine has no such address';
    case 'ENOTFOUND':
      return 'the name is unknown';
    default:
      return error.message;
  }
}
