import { connect, createServer } from 'node:net';

/** Where a server listens. */
export interface ListenAddress {
  host: string;
  port: number;
  /** Whether other processes may listen there, too. */
  reusePort?: boolean;
}

/** Whether a port can be listened on now; otherwise the reason. */
export async function probePort({
  host,
  port,
  reusePort = false,
}: ListenAddress): Promise<{ free: true } | { free: false; reason: string }> {
  const server = createServer();
  const { promise, resolve } = Promise.withResolvers<{ free: true } | { free: false; reason: string }>();
  server.once('error', (error: NodeJS.ErrnoException) => resolve({ free: false, reason: describe(error) }));
  server.listen({ host, port, exclusive: true, reusePort }, () =>
    server.close(() => resolve({ free: true })),
  );
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
    case 'ENOTSUP':
      return 'this system cannot share a port (--reuse-port)';
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
