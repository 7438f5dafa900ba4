import { type Tenant, type Tenants, within } from '../rows/log-filter.ts';
import { GatewayError } from '#errors';
import { type Usage, createUsage } from '#canonical';
import { epochMs } from '#storage';
import { type ReaderPorts, findInTime, queryInTime } from '../query-in-time.ts';
import { type RequestFilter, composeEqual } from '../rows/request-filters.ts';
import { ROW_COLUMNS, type StoredRow, readRow } from '../rows/read-row.ts';
import { type SessionTree, buildSessionTree } from './session-tree.ts';
import { USAGE_COLUMNS, type UsageColumn, readCounts } from '../rows/usage-columns.ts';

const OWN = [
  ...(['organizationId', 'projectId', 'keyId', 'memberId'] as const),
  ...(['sessionTokenId', 'clientName', 'endUserId'] as const),
];
type OwnName = (typeof OWN)[number];

/** Filters sessions. Times are milliseconds since the Unix epoch. */
export interface SessionFilter extends Pick<RequestFilter, Exclude<OwnName, 'organizationId'>> {
  /** Sessions with a request that started then or later; only these requests are summed up. */
  since: number;
  /** Only requests that started before. */
  until?: number;
  /** `latest` by default. */
  sort?: SessionOrder;
  /** 1 to 1000. */
  limit: number;
  /** How many to leave out; 0 by default. */
  offset?: number;
}

/** What sessions come first: those with the latest requests, or the most expensive. */
export const SESSION_ORDERS = ['latest', 'cost'] as const;
type SessionOrder = (typeof SESSION_ORDERS)[number];

/** A session in a list. */
export interface SessionLine {
  sessionId: string;
  organizationId: string;
  clientName?: string;
  endUserId?: string;
  startedAt: number;
  /** When its last request started. */
  lastAt: number;
  requests: number;
  /** Those of them that ended with an error. */
  failed: number;
  /** Whose requests they are: the first of these keys. */
  keyIds: readonly string[];
  /** Other than the main agent. */
  agents: number;
  usage: Usage;
  /** Pico-USD. */
  customer: bigint;
  provider: bigint;
}

/** Sessions of clients, from the rows of their requests: a session that is still running, too. */
export interface Sessions {
  /** The first of them in the order of `sort`. */
  list(filter: SessionFilter, tenants: Tenants): Promise<SessionLine[]>;
  /** Throws `invalid_request` if several organizations have a session of this name. */
  find(sessionId: string, tenants: Tenants, owner?: SessionOwner): Promise<SessionTree | undefined>;
}

/** Whose requests a tree shows; absent: those of all that are visible. */
type SessionOwner = Pick<SessionFilter, 'keyId' | 'memberId' | 'sessionTokenId'>;

/** A session of more requests is refused: its tree would not be one to read. */
const MOST_ROWS = 20_000;
/** A list names so many keys of each session. */
const MOST_KEYS = 10;

export function createSessions(ports: ReaderPorts): Sessions {
  return {
    list: async (filter, tenants) =>
      (await queryInTime<StoredSession>(ports, tenants, selectSessions(within(filter, tenants)))).map(
        readSession,
      ),
    find: async (sessionId, tenants, owner = {}) => {
      const statement = selectSession(sessionId, within(owner, tenants));
      const rows = (await findInTime<StoredRow>(ports, tenants, statement)).map(readRow);
      if (rows.length > MOST_ROWS) throw createTooLarge();
      if (rows.some((row) => row.organizationId !== rows[0]?.organizationId)) throw createAmbiguous();
      return buildSessionTree(rows);
    },
  };
}

function selectSession(
  sessionId: string,
  owner: SessionOwner & Partial<Tenant>,
): { text: string; values: unknown[] } {
  const values: unknown[] = [sessionId];
  // `IS TRUE` keeps PostgreSQL from reading the index of an organization or key, which has far more rows.
  const text = `SELECT ${ROW_COLUMNS} FROM request_log WHERE session_id = $1 AND (true${composeEqual(owner, OWN, values)}) IS TRUE
    ORDER BY request_log.started_at, request_id LIMIT ${MOST_ROWS + 1}`;
  return { text, values };
}

interface StoredSession extends Record<UsageColumn, string> {
  session_id: string;
  organization_id: string;
  client_name: string | null;
  end_user_id: string | null;
  started_at: number;
  last_at: number;
  requests: number;
  failed: number;
  key_ids: readonly string[];
  agents: number;
  customer_cost: string;
  provider_cost: string;
}

const SUMS = [...Object.values(USAGE_COLUMNS), 'customer_cost', 'provider_cost'];

const ORDERS: Readonly<Record<SessionOrder, string>> = {
  latest: 'max(request_log.started_at)',
  cost: 'sum(request_log.customer_cost)',
};

function selectSessions(filter: SessionFilter & Partial<Tenant>): { text: string; values: unknown[] } {
  const values: unknown[] = [filter.since, Math.min(Math.max(Math.trunc(filter.limit), 1), 1_000)];
  const before =
    filter.until === undefined
      ? ''
      : `AND request_log.started_at < to_timestamp($${values.push(filter.until)}::float8 / 1000)`;
  const text = `
    SELECT session_id, organization_id, min(client_name) AS client_name, min(end_user_id) AS end_user_id,
      ${epochMs('min(started_at)')} AS started_at, ${epochMs('max(started_at)')} AS last_at,
      count(*)::float8 AS requests, count(*) FILTER (WHERE finish_reason LIKE '%\\_error')::float8 AS failed,
      (array_agg(DISTINCT key_id))[1:${MOST_KEYS}] AS key_ids, count(DISTINCT agent_id)::float8 AS agents,
      ${SUMS.map((column) => `sum(${column})::text AS ${column}`).join(', ')}
    FROM request_log
    WHERE session_id IS NOT NULL AND request_log.started_at >= to_timestamp($1::float8 / 1000) ${before} ${composeEqual(filter, OWN, values)}
    GROUP BY organization_id, session_id ORDER BY ${ORDERS[filter.sort ?? 'latest']} DESC, session_id, organization_id LIMIT $2 OFFSET $${values.push(filter.offset ?? 0)}`;
  return { text, values };
}

function readSession(row: StoredSession): SessionLine {
  return {
    sessionId: row.session_id,
    organizationId: row.organization_id,
    ...(row.client_name !== null && { clientName: row.client_name }),
    ...(row.end_user_id !== null && { endUserId: row.end_user_id }),
    startedAt: row.started_at,
    lastAt: row.last_at,
    requests: row.requests,
    failed: row.failed,
    keyIds: row.key_ids,
    agents: row.agents,
    usage: createUsage(readCounts(row)),
    customer: BigInt(row.customer_cost),
    provider: BigInt(row.provider_cost),
  };
}

function createTooLarge(): GatewayError {
  const message = `this session has more than ${MOST_ROWS} requests; use usage by agent, or its logs`;
  return new GatewayError('invalid_request', message, { param: 'id' });
}

function createAmbiguous(): GatewayError {
  const message = 'several organizations have a session of this name; name the organization';
  return new GatewayError('invalid_request', message, { param: 'organization_id' });
}
