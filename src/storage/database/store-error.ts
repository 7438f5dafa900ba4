import { GatewayError } from '#errors';
import pg from 'pg';

const RETRY_AFTER_SECONDS = 2;

/**
 * SQLSTATE classes and codes that mean the server is unavailable, whatever the query: no connection (08), a failed
 * login (28), no such database (3D000), no resources such as disk or connections (53), shutdown and crash (57P), a
 * timeout (57014, 55P03, 25P03, 25P04), a read-only replica (25006), an I/O error (58).
 */
const DOWN = /^(?:08|28|53|57P|58)|^(?:3D000|57014|55P03|25P03|25P04|25006)$/;

/** Codes of Node's sockets, of name resolution and of TLS. */
const SOCKET =
  /^(?:E(?:CONN|PIPE|TIMEDOUT|HOST|NET|NOTFOUND|AI_|NOENT|ACCES|ADDR|MFILE|NFILE)|ERR_(?:TLS|SSL|SOCKET)|CERT_|UNABLE_TO_|DEPTH_ZERO|SELF_SIGNED)/;

/** Messages of the driver's errors without a code. */
const DRIVER =
  /^(?:Connection terminated|timeout exceeded when trying to connect|timeout expired|Query read timeout|Client has encountered a connection error|Client was closed|Cannot use a pool after calling end|The server does not support SSL|Connection ended|read ECONN|write E)/;

/** The error for every failure to reach or use the store: fail closed, retry soon. */
export function createStoreError(detail: string, cause?: unknown): GatewayError {
  return new GatewayError('store_unavailable', 'The gateway’s database is unavailable. Retry in 2 seconds.', {
    detail,
    retryAfterSeconds: RETRY_AFTER_SECONDS,
    ...(cause !== undefined && { cause }),
  });
}

/** U+0000, which PostgreSQL rejects in text and in JSON. Stored content never contains it, so it was in a name or an id. */
const UNSTORABLE: readonly unknown[] = ['22021', '22P05'];

/**
 * Converts failures of the connection or server to `store_unavailable`, and text that cannot be stored to
 * `invalid_request`; SQL errors are returned unchanged.
 */
export function toStoreError(thrown: unknown): unknown {
  if (!(thrown instanceof Error) || thrown instanceof GatewayError) return thrown;
  if (thrown instanceof pg.DatabaseError && UNSTORABLE.includes(thrown.code))
    return new GatewayError(
      'invalid_request',
      'A name or an id of this request contains the character U+0000. Remove it.',
      {
        detail: thrown.message,
      },
    );
  return isDown(thrown) ? createStoreError(describe(thrown), thrown) : thrown;
}

/** Whether the server rolled back the transaction and it can be retried: a serialization failure or a deadlock. */
export function isConflict(thrown: unknown): boolean {
  return thrown instanceof pg.DatabaseError && (thrown.code === '40001' || thrown.code === '40P01');
}

/** The server can only read. After a failover the same name leads to another one. */
const READ_ONLY = '25006';

/** Whether a connection is usable after an error: only if the server itself reported it as such, and may write. */
export function leavesConnectionUsable(thrown: unknown): boolean {
  return thrown instanceof pg.DatabaseError && thrown.severity === 'ERROR' && thrown.code !== READ_ONLY;
}

function isDown(error: Error): boolean {
  if (error instanceof pg.DatabaseError) return DOWN.test(error.code ?? '');
  const { code } = error as NodeJS.ErrnoException;
  return (typeof code === 'string' && SOCKET.test(code)) || DRIVER.test(error.message);
}

/** PgBouncer's answer to the settings with which each connection is opened. */
const POOLER = /^unsupported startup parameter/;

function describe(error: Error): string {
  const { code } = error as NodeJS.ErrnoException;
  const text =
    error.message === '' && error instanceof AggregateError ? String(error.errors[0]) : error.message;
  if (POOLER.test(text)) return `${text}; a connection pooler answers: name PostgreSQL itself`;
  return code === undefined || text.includes(code) ? text : `${text} (${code})`;
}
