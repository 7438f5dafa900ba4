import { type Database, openDatabase } from '#storage';

/** A busy machine takes long to start a connection. */
const CONNECT_MS = 60_000;

/** Opens a database for a test, which waits for its connections. */
export function openPatiently(options: Parameters<typeof openDatabase>[0]): Database {
  return openDatabase({ connectTimeoutMs: CONNECT_MS, ...options });
}
