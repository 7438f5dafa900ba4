import type { AddressInfo } from 'node:net';
import { once } from 'node:events';
import type { HttpServer } from '#http';

/** Opens a server on a free port; returns its URL. */
export async function listen({ server }: HttpServer): Promise<string> {
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
}

/** Closes it once its requests are answered. */
export async function close(http: HttpServer): Promise<void> {
  const closed = once(http.server, 'close');
  http.server.close();
  http.server.closeAllConnections();
  await closed;
  await http.idle();
}
