import type { Log } from '#telemetry';
import type { ConnectionOptions } from './connection-options.ts';
import type { Database, Queryable, QueryResult, Statement } from './database.ts';
import { setTimeout as sleep } from 'node:timers/promises';
import { detailOf } from '#errors';
import pg from 'pg';
import type { Blocker } from './blockers.ts';
import { createBackoff } from './backoff.ts';
import { columnTypes } from './column-types.ts';
import { toClientConfig } from './connection-options.ts';
import { ConnectionWatch, endConnection } from './connection-watch.ts';
import { explainMissing } from './explain-missing.ts';
import { listen } from './listen.ts';
import { runStatement } from './run-statement.ts';
import { openSession } from './session.ts';
import { createStoreError, isConflict, leavesConnectionUsable, toStoreError } from './store-error.ts';

export interface DatabaseOptions {
  connection: ConnectionOptions;
  /** 16 by default. */
  maxConnections?: number;
  applicationName: string;
  /** How long a statement waits for a connection; 2 s by default. */
  connectTimeoutMs?: number;
  /** The server cancels a statement after this time, and the client stops waiting a second later; 15 s by default. */
  statementTimeoutMs?: number;
  /** Receives connections that were lost while idle. */
  log?: Log;
}

const MAX_CONNECTIONS = 16;
const STATEMENT_TIMEOUT_MS = 15_000;
const CLIENT_GRACE_MS = 1_000;
/** Beyond this many queued statements, further ones fail at once. */
const LONGEST_QUEUE = 2_000;
const TRIES = 3;
/** A session is for long work, which waits for a busy server; a request does not. */
const SESSION_CONNECT_MS = 10_000;

/** Opens a pool. Connections are opened on demand, so an unreachable server only shows with the first query. */
export function openDatabase(options: DatabaseOptions): Database {
  const { connection, applicationName } = options;
  const pool = createPool(options);
  const watch = watchPool(pool, options);
  const execute: Execute = watch
    ? (client, statement) => watch.guard(client, () => runStatement(client, statement))
    : runStatement;
  let ended: Promise<void> | undefined;
  const borrow = async (): Promise<pg.PoolClient> => {
    if (pool.waitingCount >= LONGEST_QUEUE)
      throw createStoreError('too many statements are waiting for a connection');
    return pool.connect().catch((error: unknown) => {
      throw toStoreError(error);
    });
  };
  const ask = (statement: Statement) => withClient(borrow, (client) => execute(client, statement));

  return {
    query: <Row>(statement: Statement) => retryConflicts(() => ask(statement)) as Promise<QueryResult<Row>>,
    transaction: (run) =>
      retryConflicts(() => withClient(borrow, (client) => runTransaction(client, run, execute))),
    listen: (channel, onNotify, onReconnect) =>
      listen({
        channel,
        onNotify,
        onReconnect,
        onLost: (error) =>
          options.log?.warn(
            { channel, reason: detailOf(error) },
            'the connection for notifications is lost: until it is open again, changes take effect after up to a minute',
          ),
        connect: () => openSession(connection, `${applicationName} listen`, { watch }),
      }),
    openSession: (name = applicationName) =>
      openSession(connection, name, { connectTimeoutMs: SESSION_CONNECT_MS }),
    get connections() {
      return { open: pool.totalCount, idle: pool.idleCount, waiting: pool.waitingCount };
    },
    ping: (timeoutMs) => withDeadline(ask(createPing(timeoutMs)), timeoutMs),
    close: () => (ended ??= pool.end()),
  };
}

function createPool(options: DatabaseOptions): pg.Pool {
  const statementTimeoutMs = options.statementTimeoutMs ?? STATEMENT_TIMEOUT_MS;
  const pool = new pg.Pool({
    ...toClientConfig(options.connection, options.applicationName, options.connectTimeoutMs),
    types: columnTypes,
    max: options.maxConnections ?? MAX_CONNECTIONS,
    idleTimeoutMillis: 60_000,
    statement_timeout: statementTimeoutMs,
    query_timeout: statementTimeoutMs + CLIENT_GRACE_MS,
    idle_in_transaction_session_timeout: 2 * statementTimeoutMs,
  });
  // The pool drops a client that fails while idle; one that fails while in use fails its statement. Without a listener
  // the error would be uncaught.
  pool.on('error', (error) =>
    options.log?.debug({ detail: error.message }, 'a database connection was lost'),
  );
  pool.on('connect', (client) => void client.on('error', () => undefined));
  return pool;
}

type Execute = <Row>(client: pg.PoolClient, statement: Statement) => Promise<QueryResult<Row>>;

/** Watches TCP connections: local sockets do not lose data, but a network failure also affects idle connections. */
function watchPool(pool: pg.Pool, { connection, log }: DatabaseOptions): ConnectionWatch | undefined {
  if (!('url' in connection)) return undefined;
  const idle = new Set<pg.PoolClient>();
  pool.on('release', (_, client) => idle.add(client));
  pool.on('acquire', (client) => idle.delete(client));
  pool.on('remove', (client) => idle.delete(client));
  const onLost = (): void => {
    log?.warn({ idle: idle.size }, 'a database connection was dead; it is being replaced');
    for (const client of idle) endConnection(client);
  };
  const onBlocked = ({ pid, description, seconds }: Blocker): void =>
    log?.warn(
      { pid, session: description, seconds },
      'statements wait for a lock of another session; end it there, or with pg_terminate_backend(pid)',
    );
  return new ConnectionWatch({ connection, onLost, onBlocked });
}

/** Borrows a connection; it is discarded after any failure other than an error reported by the server. */
async function withClient<Value>(
  borrow: () => Promise<pg.PoolClient>,
  run: (client: pg.PoolClient) => Promise<Value>,
): Promise<Value> {
  const client = await borrow();
  let isUsable = true;
  try {
    return await run(client);
  } catch (error) {
    const explained = await explainMissing(client, error);
    isUsable = explained === error && !isFromConnection(error);
    throw explained;
  } finally {
    client.release(!isUsable);
  }
}

function isFromConnection(error: unknown): boolean {
  const source = error instanceof Error && error.cause !== undefined ? error.cause : error;
  return !leavesConnectionUsable(source) && toStoreError(source) !== source;
}

async function runTransaction<Value>(
  client: pg.PoolClient,
  run: (client: Queryable) => Promise<Value>,
  execute: Execute,
): Promise<Value> {
  await execute(client, { text: 'BEGIN' });
  try {
    const value = await run({ query: (statement) => execute(client, statement) });
    await execute(client, { text: 'COMMIT' });
    return value;
  } catch (error) {
    if (!isFromConnection(error)) await execute(client, { text: 'ROLLBACK' });
    throw error;
  }
}

/** Retries a statement or transaction that the server rolled back because of a conflict. */
async function retryConflicts<Value>(run: () => Promise<Value>): Promise<Value> {
  const backoff = createBackoff({ firstMs: 4, mostMs: 50 });
  for (let tries = 1; ; tries += 1) {
    try {
      return await run();
    } catch (error) {
      if (tries === TRIES || !isConflict(error)) throw error;
      await sleep(backoff.nextMs());
    }
  }
}

/** Sets the driver's own timeout as well, so that an unresponsive server does not keep the connection. */
function createPing(timeoutMs: number): Statement & pg.QueryConfig {
  return { text: 'SELECT 1', query_timeout: timeoutMs } as Statement & pg.QueryConfig;
}

async function withDeadline(answer: Promise<unknown>, timeoutMs: number): Promise<void> {
  const limit = new AbortController();
  const late = sleep(timeoutMs, undefined, { signal: limit.signal }).then(() => {
    throw createStoreError(`no answer within ${timeoutMs} ms`);
  });
  try {
    await Promise.race([answer, late]);
  } finally {
    limit.abort();
    late.catch(() => undefined);
    answer.catch(() => undefined);
  }
}
