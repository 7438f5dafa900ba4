import type { Database } from '#storage';
import type { Usage } from '#canonical';
import type { Tenant } from './log-filter.ts';
import { createUsage } from '#canonical';
import { queryInTime } from './query-in-time.ts';

/** What usage can be told apart by. `day` is a day of UTC. */
export const USAGE_GROUPS = {
  organization: 'organization_id',
  project: 'project_id',
  key: 'key_id',
  model: 'model_id',
  provider: 'provider_id',
  finish: 'finish_reason',
  day: `to_char(hour AT TIME ZONE 'UTC', 'YYYY-MM-DD')`,
  hour: `to_char(hour AT TIME ZONE 'UTC', 'YYYY-MM-DD"T"HH24":00:00Z"')`,
} as const;

export type UsageGroup = keyof typeof USAGE_GROUPS;

/** Which usage is summed up. Times are milliseconds since the Unix epoch; an hour counts as a whole, by when requests started. */
export interface UsageFilter {
  /** One line for each of their combinations; one in all where there are none. */
  by?: readonly UsageGroup[];
  since?: number;
  until?: number;
  projectId?: string;
  keyId?: string;
  model?: string;
  providerId?: string;
}

/** What some requests came to. */
export interface UsageLine {
  /** What the line was grouped by; a model or provider that is not known is ''. */
  group: Partial<Record<UsageGroup, string>>;
  requests: number;
  usage: Usage;
  /** Pico-USD in decimal digits. */
  customer: string;
  provider: string;
}

/** Usage of any span, as exact as the ledger: counted hours, and rows for what is not counted yet. */
export interface UsageBook {
  list(filter: UsageFilter, tenant: Tenant): Promise<UsageLine[]>;
  /** For the operator's own command line. */
  listAsOperator(filter: UsageFilter & Partial<Tenant>): Promise<UsageLine[]>;
}

export function createUsageBook({ database }: { database: Database }): UsageBook {
  return {
    list: async (filter, { organizationId }) =>
      (await queryInTime<StoredLine>(database, selectUsage({ ...filter, organizationId }))).map((row) =>
        readLine(row, filter.by),
      ),
    listAsOperator: async (filter) =>
      (await database.query<StoredLine>(selectUsage(filter))).rows.map((row) => readLine(row, filter.by)),
  };
}

const PARTS: Record<keyof Usage, string> = {
  inputUncached: 'input_uncached',
  inputCacheRead: 'input_cache_read',
  inputCacheWrite5m: 'input_cache_write_5m',
  inputCacheWrite1h: 'input_cache_write_1h',
  inputAudio: 'input_audio',
  outputText: 'output_text',
  outputReasoning: 'output_reasoning',
  outputAudio: 'output_audio',
  webSearches: 'web_searches',
};
const SUMS = [...Object.values(PARTS), 'customer_cost', 'provider_cost'];
const COUNTED = ['requests', ...SUMS];

type StoredLine = Record<string, string>;

function readLine(row: StoredLine, by: readonly UsageGroup[] = []): UsageLine {
  const parts = Object.entries(PARTS).map(([part, column]) => [part, Number(row[column])]);
  return {
    group: Object.fromEntries(by.map((name) => [name, row[`by_${name}`] ?? ''])),
    requests: Number(row['requests']),
    usage: { ...createUsage(), ...(Object.fromEntries(parts) as Partial<Usage>) },
    customer: row['customer_cost'] ?? '0',
    provider: row['provider_cost'] ?? '0',
  };
}

const ROW_DIMENSIONS = `organization_id, project_id, key_id, COALESCE(model_id, '') AS model_id,
  COALESCE(provider_id, '') AS provider_id, finish_reason`;
const FILTERS = {
  organizationId: 'organization_id',
  projectId: 'project_id',
  keyId: 'key_id',
  model: 'model_id',
  providerId: 'provider_id',
} as const;

/** One statement, so one moment: an hour that is marked as late is read from its rows, and left out of what was counted. */
function selectUsage(filter: UsageFilter & Partial<Tenant>): { text: string; values: unknown[] } {
  const values: unknown[] = [];
  const bind = (value: unknown): string => `$${values.push(value)}`;
  const toHour = (ms: number | undefined, otherwise: string): string =>
    ms === undefined
      ? `'${otherwise}'::timestamptz`
      : `usage_hour_of(to_timestamp(${bind(ms)}::float8 / 1000))`;
  const from = toHour(filter.since, '-infinity');
  // An hour that has begun when the span ends belongs to it.
  const to = toHour(filter.until === undefined ? undefined : filter.until + 3_599_999, 'infinity');
  const equal = Object.entries(FILTERS).flatMap(([name, column]) => {
    const value = filter[name as keyof typeof FILTERS];
    return value === undefined ? [] : [`AND ${column} = ${bind(value)}`];
  });
  const own = equal.join(' ');
  const names = (filter.by ?? []).map((name) => `by_${name}`);
  const groups = (filter.by ?? []).map((name) => `${USAGE_GROUPS[name]} AS by_${name}`);
  const groupBy = names.length === 0 ? '' : `GROUP BY ${names.map((_, index) => index + 1).join(', ')}`;
  const sumUp = (source: string): string => {
    const sums = COUNTED.map((column) => `sum(${column}) AS ${column}`);
    return `SELECT ${[...groups, ...sums].join(', ')} FROM ${source} ${groupBy}`;
  };
  const rows = (table: string, where: string): string =>
    sumUp(`(SELECT usage_hour_of(started_at) AS hour, ${ROW_DIMENSIONS}, 1 AS requests, ${SUMS.join(', ')}
      FROM ${table} WHERE ${where} AND started_at >= ${from} AND started_at < ${to} ${own}) AS row`);
  const totals = COUNTED.map((column) => `sum(${column})::text AS ${column}`);
  // Each branch is summed up by itself: few lines are left to put together.
  const text = `
    WITH late AS MATERIALIZED (
      SELECT DISTINCT l.hour FROM usage_late l, log_state s WHERE l.hour >= s.horizon AND l.hour < s.counted_through
    ), part AS (
      ${sumUp(`usage_hour WHERE hour >= ${from} AND hour < ${to} ${own} AND hour <> ALL (ARRAY(SELECT hour FROM late))`)}
      UNION ALL ${rows('request_log', `started_at >= (SELECT counted_through FROM log_state)`)}
      UNION ALL ${rows('request_log', `started_at < (SELECT horizon FROM log_state)`)}
      UNION ALL ${rows('late JOIN request_log ON started_at >= late.hour', `started_at < late.hour + interval '1 hour'`)}
    )
    SELECT ${[...names, ...totals].join(', ')} FROM part ${groupBy} HAVING sum(requests) IS NOT NULL
    ORDER BY ${filter.by?.some((name) => name === 'day' || name === 'hour') ? names.join(', ') : 'sum(customer_cost) DESC, sum(requests) DESC'}`;
  return { text, values };
}
