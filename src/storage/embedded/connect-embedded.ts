import { type EmbeddedServer, type EmbeddedServerOptions, startEmbeddedServer } from './embedded-server.ts';

/**
 * Connects a short command to the server of a data directory: to the running one, which `stop` leaves running, else to
 * a temporary one. Neither is restarted when it exits: a gateway that stops has stopped its server on purpose.
 */
export async function connectEmbedded(options: EmbeddedServerOptions): Promise<EmbeddedServer> {
  const server = await startEmbeddedServer({ ...options, isRestarted: false });
  return server.adopted ? { ...server, stop: () => server.leave() } : server;
}
