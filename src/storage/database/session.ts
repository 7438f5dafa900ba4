import type { Session, Statement } from './database.ts';
import type { ConnectionOptions } from './connection-options.ts';
import type { ConnectionWatch } from './connection-watch.ts';
import pg from 'pg';
import { columnTypes } from './column-types.ts';
import { toClientConfig } from './connection-options.ts';
import { runStatement } from './run-statement.ts';
import { toStoreError } from './store-error.ts';

/** A session that also receives notifications; `check` ends it if the server does not answer in time. */
export interface ListeningSession extends Session {
  onNotification(listener: (channel: string, payload: string) => void): void;
  check(timeoutMs: number): Promise<void>;
}

interface SessionOptions {
  watch?: ConnectionWatch | undefined;
  connectTimeoutMs?: number;
}

export async function openSession(
  connection: ConnectionOptions,
  applicationName: string,
  { watch, connectTimeoutMs }: SessionOptions = {},
): Promise<ListeningSession> {
  const { client, ...session } = await connectSession(connection, applicationName, connectTimeoutMs);
  return {
    ...session,
    onNotification: (listener) =>
      void client.on('notification', ({ channel, payload }) => listener(channel, payload ?? '')),
    check: async (timeoutMs) => {
      const ask = () => client.query({ text: 'SELECT 1', query_timeout: timeoutMs } as pg.QueryConfig);
      try {
        await (watch ? watch.guard(client, ask) : ask());
      } catch {
        await session.close();
      }
    },
  };
}

/** Limits of a role or database are meant for single statements; sessions run long work. */
const LIFT_LIMITS = {
  // Not from pg_settings: listing all settings takes nearly half as long as the connection.
  text: `SELECT set_config(name, '0', false) FROM unnest(ARRAY['statement_timeout', 'lock_timeout',
    'idle_session_timeout', 'idle_in_transaction_session_timeout', 'transaction_timeout']) AS name
    WHERE current_setting(name, true) IS NOT NULL`,
  query_timeout: 10_000, // the server may fall silent once it has accepted the connection
};

/** A session with the driver's client behind it. */
export async function connectSession(
  connection: ConnectionOptions,
  applicationName: string,
  connectTimeoutMs?: number,
): Promise<Session & { client: pg.Client }> {
  const config = toClientConfig(connection, applicationName, connectTimeoutMs);
  const client = new pg.Client({ ...config, types: columnTypes });
  const ended = new Promise<void>((resolve) => {
    client.once('end', resolve);
    client.once('error', () => resolve());
  });
  client.on('error', () => undefined); // an error ends the connection, which emits `end`
  try {
    await client.connect();
    await client.query(LIFT_LIMITS);
  } catch (error) {
    await endQuietly(client);
    throw toStoreError(error);
  }
  return {
    client,
    query: queueStatements(client),
    onEnd: (listener) => void ended.then(listener),
    close: () => endQuietly(client),
  };
}

/** Callers that share a session run statements at the same time; the driver takes one after the other. */
function queueStatements(client: pg.Client): Session['query'] {
  let last: Promise<unknown> = Promise.resolve();
  return <Row>(statement: Statement) => {
    const result = last.then(() => runStatement<Row>(client, statement));
    last = result.catch(() => undefined);
    return result;
  };
}

const END_TIMEOUT_MS = 1_000;

/** Closes a connection, by force if the server does not answer. */
async function endQuietly(client: pg.Client): Promise<void> {
  const force = setTimeout(() => client.connection.stream.destroy(), END_TIMEOUT_MS);
  await client.end().catch(() => undefined);
  clearTimeout(force);
}
