import { createServer } from 'node:net';

/** Whether a port can be listened on now; the reason where it cannot. */
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
