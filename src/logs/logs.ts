import type { Database } from '#storage';
import { followRows } from './follow.ts';
import type { LogFinish, LogRow } from './log-row.ts';
import { ROW_COLUMNS, type StoredRow, readRow } from './read-row.ts';

/** Whose rows may be seen. */
export interface Tenant {
  organizationId: string;
}

/** A place in the list: rows are ordered by start, then by identifier. */
export interface LogPlace {
  startedAt: number;
  requestId: string;
}

export interface LogFilter {
  projectId?: string;
  keyId?: string;
  /** The catalogue's id or the name the client used. */
  model?: string;
  finishReason?: LogFinish;
  /** Milliseconds since the Unix epoch: rows that started then or later. */
  since?: number;
  /** Only rows that come after this place in a list of newest first. */
  before?: LogPlace;
  /** 1 to 1000, otherwise 100. */
  limit?: number;
}

/** What became of requests. */
export interface Logs {
  find(requestId: string, tenant: Tenant): Promise<LogRow | undefined>;
  /** Newest first. */
  list(filter: LogFilter, tenant: Tenant): Promise<LogRow[]>;
  /** For the operator's own command line: every organization's rows. */
  findAsOperator(requestId: string): Promise<LogRow | undefined>;
  listAsOperator(filter: LogFilter & Partial<Tenant>): Promise<LogRow[]>;
  /** Rows as they are written, until the signal aborts. */
  followAsOperator(filter: FollowFilter, signal: AbortSignal): AsyncGenerator<LogRow>;
}

export type FollowFilter = Pick<LogFilter, 'projectId' | 'keyId' | 'model' | 'finishReason'> &
  Partial<Tenant>;

const USUAL_LIMIT = 100;
const MOST = 1000;
const FOLLOW_EVERY_MS = 500;
/** How long a row may take from its date to its commit and still be seen by those who follow. */
const FOLLOW_OVERLAP = '3 seconds';

export function createLogs({ database }: { database: Database }): Logs {
  const read = async (statement: Statement): Promise<LogRow[]> => {
    const { rows } = await database.query<StoredRow>(statement);
    return rows.map(readRow);
  };
  return {
    find: async (requestId, tenant) => (await read(selectOne(requestId, tenant)))[0],
    list: (filter, tenant) => read(selectRows({ ...filter, ...pickTenant(tenant) })),
    findAsOperator: async (requestId) => (await read(selectOne(requestId)))[0],
    listAsOperator: (filter) => read(selectRows(filter)),
    followAsOperator: (filter, signal) =>
      followRows({
        glance: async (since) => {
          const { rows } = await database.query<{ moment: string }>({
            text: 'SELECT now()::text AS moment',
            values: [],
          });
          const moment = rows[0]?.moment ?? 'now';
          return { rows: await read(selectClosed(filter, since ?? moment)), moment };
        },
        signal,
        intervalMs: FOLLOW_EVERY_MS,
      }),
  };
}

interface Statement {
  text: string;
  values: unknown[];
}

function pickTenant({ organizationId }: Tenant): Tenant {
  return { organizationId };
}

function selectOne(requestId: string, tenant?: Tenant): Statement {
  const conditions = createConditions();
  conditions.add('request_id =', requestId);
  if (tenant !== undefined) conditions.add('organization_id =', tenant.organizationId);
  return conditions.toStatement('');
}

function selectRows(filter: LogFilter & Partial<Tenant>): Statement {
  const { since, before } = filter;
  const conditions = createConditions();
  addFilter(conditions, filter);
  if (since !== undefined) conditions.addPlace('>=', { startedAt: since, requestId: '' });
  if (before !== undefined) conditions.addPlace('<', before);
  const limit = Math.min(Math.max(Math.trunc(filter.limit ?? USUAL_LIMIT), 1), MOST);
  return conditions.toStatement(`ORDER BY started_at DESC, request_id DESC LIMIT ${limit}`);
}

function selectClosed(filter: FollowFilter, moment: string): Statement {
  const conditions = createConditions();
  addFilter(conditions, filter);
  conditions.addClosedSince(moment);
  return conditions.toStatement('ORDER BY closed_at, request_id');
}

function addFilter(conditions: Conditions, filter: FollowFilter): void {
  const { organizationId, projectId, keyId, finishReason, model } = filter;
  if (organizationId !== undefined) conditions.add('organization_id =', organizationId);
  if (projectId !== undefined) conditions.add('project_id =', projectId);
  if (keyId !== undefined) conditions.add('key_id =', keyId);
  if (finishReason !== undefined) conditions.add('finish_reason =', finishReason);
  if (model !== undefined) conditions.addAny(['model_id', 'requested_model'], model);
}

type Conditions = ReturnType<typeof createConditions>;

function createConditions() {
  const values: unknown[] = [];
  const conditions: string[] = ['true'];
  const bind = (value: unknown): string => `$${values.push(value)}`;
  return {
    add: (left: string, value: string) => void conditions.push(`${left} ${bind(value)}`),
    addAny: (columns: readonly string[], value: string) => {
      const place = bind(value);
      conditions.push(`(${columns.map((column) => `${column} = ${place}`).join(' OR ')})`);
    },
    addPlace: (comparison: '<' | '>=', place: LogPlace) => {
      const startedAt = `to_timestamp(${bind(place.startedAt)}::float8 / 1000)`;
      conditions.push(`(started_at, request_id) ${comparison} (${startedAt}, ${bind(place.requestId)})`);
    },
    addClosedSince: (moment: string) =>
      void conditions.push(`closed_at >= ${bind(moment)}::timestamptz - interval '${FOLLOW_OVERLAP}'`),
    toStatement: (tail: string): Statement => ({
      text: `SELECT ${ROW_COLUMNS} FROM request_log WHERE ${conditions.join(' AND ')} ${tail}`,
      values,
    }),
  };
}
