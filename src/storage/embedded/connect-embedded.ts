import { type EmbeddedServer, type EmbeddedServerOptions, startEmbeddedServer } from './embedded-server.ts';

/** The server of a data directory for a short command: the running one, which `stop` leaves alone, else one of its own. */
export async function connectEmbedded(options: EmbeddedServerOptions): Promise<EmbeddedServer> {
  const server = await startEmbeddedServer(options);
  return server.adopted ? { ...server, stop: () => server.leave() } : server;
}
