import type pg from 'pg';

/** A PostgreSQL on this machine: its host is the directory of its socket. */
export interface SocketConnection {
  host: string;
  port: number;
  user: string;
  password: string;
  database: string;
}

/** Where a PostgreSQL listens and who calls. */
export type ConnectionOptions = { url: string } | SocketConnection;

const CONNECT_TIMEOUT_MS = 2_000;
const KEEPALIVE_AFTER_MS = 10_000;

/** The driver's form of the options, with the limits that every connection here has. */
export function toClientConfig(connection: ConnectionOptions, applicationName: string): pg.ClientConfig {
  const place = 'url' in connection ? { connectionString: connection.url } : { ...connection, ssl: false };
  return {
    ...place,
    application_name: applicationName,
    connectionTimeoutMillis: CONNECT_TIMEOUT_MS,
    keepAlive: true,
    keepAliveInitialDelayMillis: KEEPALIVE_AFTER_MS,
  };
}
