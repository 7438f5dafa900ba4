import type { Database, Statement } from '#storage';
import { GatewayError } from '#errors';

const LIMIT_MS = 2_000;
const CANCELED = '57014';

/** Runs a statement composed from user filters, with a limit of two seconds instead of the pool's. */
export async function queryInTime<Row>(database: Database, statement: Statement): Promise<Row[]> {
  try {
    return await database.transaction(async (client) => {
      await client.query({ text: `SET LOCAL statement_timeout = ${LIMIT_MS}` });
      return (await client.query<Row>(statement)).rows;
    });
  } catch (error) {
    if (!isCanceled(error)) throw error;
    const message = `this query took longer than ${LIMIT_MS / 1_000} s; narrow it by time, project or key`;
    throw new GatewayError('invalid_request', message, { cause: error });
  }
}

function isCanceled(error: unknown): boolean {
  const cause: unknown = error instanceof Error ? error.cause : undefined;
  return cause instanceof Error && 'code' in cause && cause.code === CANCELED;
}
