import type { Database, Queryable, Statement } from '#storage';
import { GatewayError } from '#errors';

const LIMIT_MS = 2_000;
const CANCELED = '57014';

/** Index scans cost little more than table scans on any disk that holds a log of this size. */
const PAGE_COST = '1.1';

/**
 * Reports group many rows and join them with few: in memory, by a hash, and not compiled, which takes longer than to run
 * them.
 */
const REPORT_SETTINGS = `set_config('work_mem', '64MB', true), set_config('jit', 'off', true),
  set_config('enable_nestloop', 'off', true), set_config('random_page_cost', '${PAGE_COST}', true)`;

/**
 * Runs a statement composed from filters, with indexes preferred to the whole table and, unless told otherwise, a limit of
 * two seconds instead of the pool's.
 */
export async function queryInTime<Row>(
  database: Database,
  statement: Statement,
  { isLimited = true } = {},
): Promise<Row[]> {
  return run(database, isLimited, async (client) => {
    const limit = isLimited ? `, set_config('statement_timeout', '${LIMIT_MS}', true)` : '';
    await client.query({ text: `SELECT set_config('random_page_cost', '${PAGE_COST}', true)${limit}` });
    return (await client.query<Row>(statement)).rows;
  });
}

/** Runs one statement of a report. */
export type Ask = <Row>(statement: Statement) => Promise<Row[]>;

/** Runs the statements of a report on one snapshot, each within the limit. */
export async function reportInTime<Result>(
  database: Database,
  work: (ask: Ask) => Promise<Result>,
  { isLimited = true } = {},
): Promise<Result> {
  return run(database, isLimited, async (client) => {
    const limit = isLimited ? `, set_config('statement_timeout', '${LIMIT_MS}', true)` : '';
    await client.query({ text: 'SET TRANSACTION ISOLATION LEVEL REPEATABLE READ, READ ONLY' });
    await client.query({ text: `SELECT ${REPORT_SETTINGS}${limit}` });
    return work(async <Row>(statement: Statement) => (await client.query<Row>(statement)).rows);
  });
}

async function run<Result>(
  database: Database,
  isLimited: boolean,
  work: (client: Queryable) => Promise<Result>,
): Promise<Result> {
  try {
    return await database.transaction(work);
  } catch (error) {
    if (!isLimited || !isCanceled(error)) throw error;
    const message = `this query took longer than ${LIMIT_MS / 1_000} s; narrow it by time, project or key`;
    throw new GatewayError('invalid_request', message, { cause: error });
  }
}

function isCanceled(error: unknown): boolean {
  const cause: unknown = error instanceof Error ? error.cause : undefined;
  return cause instanceof Error && 'code' in cause && cause.code === CANCELED;
}
