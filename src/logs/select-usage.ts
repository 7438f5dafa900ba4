import type { Tenant } from './log-filter.ts';
import { USAGE_COLUMNS } from './usage-columns.ts';

/** Dimensions of usage. `day` is a day in UTC. */
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

/** Filters usage. Times are milliseconds since the Unix epoch; an hour counts as a whole, by when requests started. */
export interface UsageFilter {
  /** One line for each of their combinations; a single line if empty. */
  by?: readonly UsageGroup[];
  since?: number;
  until?: number;
  projectId?: string;
  keyId?: string;
  model?: string;
  providerId?: string;
}

const SUMS = [...Object.values(USAGE_COLUMNS), 'customer_cost', 'provider_cost'];
const COUNTED = ['requests', ...SUMS];

const ROW_DIMENSIONS = `organization_id, project_id, key_id, COALESCE(model_id, '') AS model_id,
  COALESCE(provider_id, '') AS provider_id, finish_reason`;
const FILTERS = {
  organizationId: 'organization_id',
  projectId: 'project_id',
  keyId: 'key_id',
  model: 'model_id',
  providerId: 'provider_id',
} as const;

/** Dimensions of daily sums, which do not distinguish keys or finish reasons. */
const DAILY: Partial<Record<UsageGroup, true>> = {
  organization: true,
  project: true,
  model: true,
  provider: true,
  day: true,
};

/** The hours that daily sums do not cover: those before the first whole day, after the last, and of open days. */
const SPANS = `
  SELECT starts_at, LEAST(first_day, ends_at) AS ends_at FROM bound
  UNION ALL SELECT GREATEST(last_day, first_day), ends_at FROM bound WHERE GREATEST(last_day, first_day) < ends_at
  UNION ALL SELECT day, day + interval '24 hours' FROM open, bound WHERE day >= first_day AND day < last_day`;

/**
 * One statement, so one snapshot: an hour marked as late is read from its rows, and excluded from the counted hours.
 */
export function selectUsage(filter: UsageFilter & Partial<Tenant>): { text: string; values: unknown[] } {
  const { by = [] } = filter;
  const names = by.map((name) => `by_${name}`);
  const values: unknown[] = [];
  const bounds = createBounds(filter, values);
  const { groupBy } = createSum(by);
  const totals = COUNTED.map((column) => `sum(${column})::text AS ${column}`);
  const isByDay = filter.keyId === undefined && by.every((name) => name in DAILY);
  const isInTime = by.some((name) => name === 'day' || name === 'hour');
  const text = `
    WITH late AS MATERIALIZED (
      SELECT DISTINCT l.hour FROM usage_late l, log_state s WHERE l.hour >= s.retention_cutoff AND l.hour < s.counted_through
    ), bound AS MATERIALIZED (
      SELECT ${bounds.from} AS starts_at, ${bounds.to} AS ends_at,
        usage_day_of(${bounds.from} + interval '86399.999999 seconds') AS first_day, usage_day_of(${bounds.to}) AS last_day
    ), open AS MATERIALIZED (
      SELECT day FROM usage_open UNION SELECT usage_day_of(hour) FROM late
    ), span AS MATERIALIZED (
      ${isByDay ? SPANS : 'SELECT starts_at, ends_at FROM bound'}
    ), part AS (
      ${composeParts(by, bounds, isByDay).join(' UNION ALL ')}
    )
    SELECT ${[...names, ...totals].join(', ')} FROM part ${groupBy} HAVING sum(requests) IS NOT NULL
    ORDER BY ${isInTime ? names.join(', ') : 'sum(customer_cost) DESC, sum(requests) DESC'}`;
  return { text, values };
}

interface Bounds {
  from: string;
  to: string;
  /** Further conditions. */
  own: string;
}

function createBounds(filter: UsageFilter & Partial<Tenant>, values: unknown[]): Bounds {
  const bind = (value: unknown): string => `$${values.push(value)}`;
  const toHour = (ms: number | undefined, otherwise: string): string =>
    ms === undefined
      ? `'${otherwise}'::timestamptz`
      : `usage_hour_of(to_timestamp(${bind(ms)}::float8 / 1000))`;
  const from = toHour(filter.since, '-infinity');
  // An hour that has begun when the span ends is included.
  const to = toHour(filter.until === undefined ? undefined : filter.until + 3_599_999, 'infinity');
  const own = Object.entries(FILTERS).flatMap(([name, column]) => {
    const value = filter[name as keyof typeof FILTERS];
    return value === undefined ? [] : [`AND ${column} = ${bind(value)}`];
  });
  return { from, to, own: own.join(' ') };
}

function createSum(by: readonly UsageGroup[]): { groupBy: string; sumUp(source: string): string } {
  const groups = by.map((name) => `${USAGE_GROUPS[name]} AS by_${name}`);
  const sums = COUNTED.map((column) => `sum(${column}) AS ${column}`);
  const groupBy = by.length === 0 ? '' : `GROUP BY ${by.map((_, index) => index + 1).join(', ')}`;
  return {
    groupBy,
    sumUp: (source) => `SELECT ${[...groups, ...sums].join(', ')} FROM ${source} ${groupBy}`,
  };
}

/** The sources: whole days, hours, and rows. Each is summed up separately, so that few lines are left to merge. */
function composeParts(by: readonly UsageGroup[], { from, to, own }: Bounds, isByDay: boolean): string[] {
  const { sumUp } = createSum(by);
  const rows = (table: string, where: string): string =>
    sumUp(`(SELECT usage_hour_of(started_at) AS hour, ${ROW_DIMENSIONS}, 1 AS requests, ${SUMS.join(', ')}
      FROM ${table} WHERE ${where} AND started_at >= ${from} AND started_at < ${to} ${own}) AS row`);
  const days = sumUp(`(SELECT day AS hour, * FROM usage_day) AS whole
    WHERE hour >= (SELECT first_day FROM bound) AND hour < (SELECT last_day FROM bound) ${own}
      AND hour <> ALL (ARRAY(SELECT day FROM open))`);
  return [
    sumUp(`usage_hour JOIN span ON hour >= span.starts_at AND hour < span.ends_at
      WHERE hour >= ${from} AND hour < ${to} ${own} AND hour <> ALL (ARRAY(SELECT hour FROM late))`),
    ...(isByDay ? [days] : []),
    rows('request_log', 'started_at >= (SELECT counted_through FROM log_state)'),
    rows('request_log', 'started_at < (SELECT retention_cutoff FROM log_state)'),
    rows('late JOIN request_log ON started_at >= late.hour', "started_at < late.hour + interval '1 hour'"),
  ];
}
