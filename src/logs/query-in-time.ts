import type { Database, Statement } from '#storage';
import { GatewayError } from '#errors';

const LIMIT_MS = 2_000;
const CANCELED = '57014';

/** Index scans cost little more than table scans on any disk that holds a log of this size. */
const PAGE_COST = '1.1';

/**
 * Runs a statement composed from filters, with indexes preferred to the whole table and, unless told otherwise, a limit of
 * two seconds instead of the pool's.
 */
export async function queryInTime<Row>(
  database: Database,
  statement: Statement,
  { isLimited = true } = {},
): Promise<Row[]> {
  try {
    return await database.transaction(async (client) => {
      const limit = isLimited ? `, set_config('statement_timeout', '${LIMIT_MS}', true)` : '';
      await client.query({ text: `SELECT set_config('random_page_cost', '${PAGE_COST}', true)${limit}` });
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
