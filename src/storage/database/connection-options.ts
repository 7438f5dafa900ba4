import type pg from 'pg';

/** A PostgreSQL on this machine: the host is its socket's directory. */
export interface SocketConnection {
  host: string;
  port: number;
  user: string;
  password: string;
  database: string;
}

/** A PostgreSQL's address and credentials. */
export type ConnectionOptions = { url: string } | SocketConnection;

export const CONNECT_TIMEOUT_MS = 2_000;
const KEEPALIVE_AFTER_MS = 10_000;

/** Converts options to the driver's, with the limits every connection here has. */
export function toClientConfig(
  connection: ConnectionOptions,
  applicationName: string,
  connectTimeoutMs = CONNECT_TIMEOUT_MS,
): pg.ClientConfig {
  const place = 'url' in connection ? { connectionString: connection.url } : { ...connection, ssl: false };
  return {
    ...place,
    application_name: applicationName,
    connectionTimeoutMillis: connectTimeoutMs,
    keepAlive: true,
    keepAliveInitialDelayMillis: KEEPALIVE_AFTER_MS,
  };
}
