import type { Database, Queryable, Statement } from '#storage';
import { GatewayError } from '#errors';
import type { ReportPlaces } from './report-places.ts';

/** How long a statement may take; less for the HTTP API, so that no caller keeps the database busy. */
const LIMITS_MS = { request: 2_000, command: 15_000 } as const;
const CANCELED = '57014';

/** Index scans cost little more than table scans on any disk that holds a log of this size. */
const PAGE_COST = '1.1';

/**
 * Reports group many rows and join them with few: in memory, by a hash, and not compiled, which takes longer than to run
 * them.
 */
const REPORT_SETTINGS = `set_config('work_mem', '64MB', true), set_config('jit', 'off', true),
  set_config('enable_nestloop', 'off', true), set_config('random_page_cost', '${PAGE_COST}', true)`;

/** What readers of the log read with. */
export interface ReaderPorts {
  database: Database;
  /** Of a gateway's HTTP API, unless it is a command that reads. */
  reader?: keyof typeof LIMITS_MS;
  /** How many are read at once; absent: any number. */
  places?: ReportPlaces;
}

/** Whose rows are read. */
type Owner = { organizationId?: string | undefined } | 'all';

/** Runs a statement composed from filters, with indexes preferred to the whole table, within the reader's limit. */
export async function queryInTime<Row>(
  ports: ReaderPorts,
  owner: Owner,
  statement: Statement,
): Promise<Row[]> {
  const setting = `set_config('random_page_cost', '${PAGE_COST}', true)`;
  return inPlace(ports, owner, () => query(ports, setting, statement));
}

/**
 * Runs a statement whose few rows an index finds, within the reader's limit. PostgreSQL's estimate for an index by blocks
 * varies with each sample, and reading the whole table may seem cheaper.
 */
export async function findInTime<Row>(
  ports: ReaderPorts,
  owner: Owner,
  statement: Statement,
): Promise<Row[]> {
  const setting = "set_config('enable_seqscan', 'off', true)";
  return inPlace(ports, owner, () => query(ports, setting, statement));
}

function inPlace<Result>(
  { places }: ReaderPorts,
  owner: Owner,
  work: () => Promise<Result>,
): Promise<Result> {
  if (!places) return work();
  return places.run(owner === 'all' ? '' : (owner.organizationId ?? ''), work);
}

async function query<Row>(ports: ReaderPorts, setting: string, statement: Statement): Promise<Row[]> {
  return run(ports, async (client, limit) => {
    await client.query({ text: `SELECT ${setting}, ${limit}` });
    return (await client.query<Row>(statement)).rows;
  });
}

/** Runs one statement of a report. */
export type RunStatement = <Row>(statement: Statement) => Promise<Row[]>;

/** Runs the statements of a report on one snapshot, each within the limit. */
export async function reportInTime<Result>(
  ports: ReaderPorts,
  owner: Owner,
  work: (ask: RunStatement) => Promise<Result>,
): Promise<Result> {
  const read = async (client: Queryable, limit: string): Promise<Result> => {
    await client.query({ text: 'SET TRANSACTION ISOLATION LEVEL REPEATABLE READ, READ ONLY' });
    await client.query({ text: `SELECT ${REPORT_SETTINGS}, ${limit}` });
    return work(async <Row>(statement: Statement) => (await client.query<Row>(statement)).rows);
  };
  return inPlace(ports, owner, () => run(ports, read));
}

async function run<Result>(
  { database, reader = 'request' }: ReaderPorts,
  work: (client: Queryable, limit: string) => Promise<Result>,
): Promise<Result> {
  const limitMs = LIMITS_MS[reader];
  const limit = `set_config('statement_timeout', '${limitMs}', true)`;
  try {
    return await database.transaction((client) => work(client, limit));
  } catch (error) {
    if (!isCanceled(error)) throw error;
    const message = `this query took longer than ${limitMs / 1_000} s; narrow it by time, project or key`;
    throw new GatewayError('invalid_request', message, { param: 'since', cause: error });
  }
}

function isCanceled(error: unknown): boolean {
  const cause: unknown = error instanceof Error ? error.cause : undefined;
  return cause instanceof Error && 'code' in cause && cause.code === CANCELED;
}
