import type { Server } from 'node:net';
import { once } from 'node:events';
import type { ListenAddress } from '../doctor/probe-port.ts';

/** Listens; resolves with the server's address. */
export async function listen(
  server: Server,
  { host, port, reusePort = false }: ListenAddress,
): Promise<string> {
  server.listen({ host, port, reusePort });
  await once(server, 'listening');
  const address = server.address();
  const bound = typeof address === 'object' && address ? address.port : port;
  return `http://${host.includes(':') ? `[${host}]` : host}:${bound}`;
}
