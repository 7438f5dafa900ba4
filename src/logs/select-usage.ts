import type { Tenant } from './log-filter.ts';
import {
  SOURCE_COLUMNS,
  TIME_GROUPS,
  type UsageDimension,
  type UsageGroup,
  type UsageSource,
  chooseSource,
  columnOf,
  isTime,
  tagOf,
} from './usage-groups.ts';
import { USAGE_COLUMNS } from './usage-columns.ts';

/** Filters usage. Times are milliseconds since the Unix epoch; an hour counts as a whole, by when requests started. */
export interface UsageFilter {
  /** One line for each of their combinations; a single line if empty. */
  by?: readonly UsageGroup[];
  /** How many combinations get a line, those that cost most; the others are summed up. 100 by default, 10,000 at most. */
  top?: number;
  since?: number;
  until?: number;
  projectId?: string;
  keyId?: string;
  model?: string;
  providerId?: string;
  memberId?: string;
  clientName?: string;
  sessionId?: string;
  agentId?: string;
  endUserId?: string;
}

export const USUAL_TOP = 100;
export const MOST_TOP = 10_000;

const SUMS = [...Object.values(USAGE_COLUMNS), 'customer_cost', 'provider_cost'];
const COUNTED = ['requests', ...SUMS];

const FILTERS = {
  organizationId: 'organization',
  projectId: 'project',
  keyId: 'key',
  model: 'model',
  providerId: 'provider',
  memberId: 'member',
  clientName: 'client',
  sessionId: 'session',
  agentId: 'agent',
  endUserId: 'user',
} as const satisfies Partial<Record<keyof (UsageFilter & Tenant), UsageDimension>>;
const FILTER_NAMES = Object.keys(FILTERS) as (keyof typeof FILTERS)[];

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
  const values: unknown[] = [];
  const bounds = createBounds(filter, values);
  const source = chooseSource([
    ...by,
    ...FILTER_NAMES.filter((name) => filter[name] !== undefined).map((name) => FILTERS[name]),
  ]);
  const sums = createSums(by, values);
  const parts = (sumUp: SumUp): string => composeParts(source, sumUp, bounds).join(' UNION ALL ');
  const text = `
    WITH late AS MATERIALIZED (
      SELECT DISTINCT l.hour FROM usage_late l, log_state s WHERE l.hour >= s.retention_cutoff AND l.hour < s.counted_through
    ), bound AS MATERIALIZED (
      SELECT ${bounds.from} AS starts_at, ${bounds.to} AS ends_at,
        usage_day_of(${bounds.from} + interval '86399.999999 seconds') AS first_day, usage_day_of(${bounds.to}) AS last_day
    ), open AS MATERIALIZED (
      SELECT day FROM usage_open UNION SELECT usage_day_of(hour) FROM late
    ), span AS MATERIALIZED (
      ${source === 'days' ? SPANS : 'SELECT starts_at, ends_at FROM bound'}
    )${composeRanks(sums, parts, filter.top)}, part AS (
      ${parts(sums.sumUp)}
    ) ${composeLines(by)}`;
  return { text, values };
}

/** The most expensive combinations: found by their cost alone, so that all other counts are summed up only for these. */
function composeRanks({ names, sumCosts }: Sums, parts: (sumUp: SumUp) => string, top = USUAL_TOP): string {
  if (names.length === 0) return '';
  const limit = Math.min(Math.max(Math.trunc(top), 1), MOST_TOP);
  return `, ranked AS MATERIALIZED (
      SELECT ${names.join(', ')} FROM (${parts(sumCosts)}) AS costs GROUP BY ${names.join(', ')}
      ORDER BY sum(customer_cost) DESC, sum(requests) DESC, ${names.join(', ')} LIMIT ${limit}
    )`;
}

function composeLines(by: readonly UsageGroup[]): string {
  const names = by.map((_, at) => `by_${at}`);
  const times = names.filter((_, at) => isTime(by[at] ?? 'model'));
  const totals = COUNTED.map((column) => `sum(${column})::text AS ${column}`);
  const group = names.length === 0 ? 'HAVING sum(requests) IS NOT NULL' : `GROUP BY ${names.join(', ')}`;
  const order = [...times, 'sum(customer_cost) DESC', 'sum(requests) DESC', ...names];
  return `SELECT ${[...names, ...totals].join(', ')} FROM part ${group} ORDER BY ${order.join(', ')}`;
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
  const own = FILTER_NAMES.flatMap((name) => {
    const value = filter[name];
    return value === undefined ? [] : [`AND ${columnOf(FILTERS[name])} = ${bind(value)}`];
  });
  return { from, to, own: own.join(' ') };
}

type SumUp = (source: string) => string;

interface Sums {
  /** Of the groups that are not spans of time. */
  names: readonly string[];
  sumUp: SumUp;
  sumCosts: SumUp;
}

function createSums(by: readonly UsageGroup[], values: unknown[]): Sums {
  const groups = by.map((group, at) => `${composeGroup(group, values)} AS by_${at}`);
  const all = by.map((_, at) => `by_${at}`);
  const names = all.filter((_, at) => !isTime(by[at] ?? 'model'));
  const ofNames = groups.filter((_, at) => !isTime(by[at] ?? 'model'));
  const sums = COUNTED.map((column) => `sum(${column}) AS ${column}`);
  const groupBy = all.length === 0 ? '' : `GROUP BY ${all.join(', ')}`;
  const ranked = names.length === 0 ? '' : `JOIN ranked USING (${names.join(', ')})`;
  return {
    names,
    sumUp: (source) => `SELECT ${[...all, ...sums].join(', ')}
      FROM (SELECT ${[...groups, ...COUNTED].join(', ')} FROM ${source}) AS one ${ranked} ${groupBy}`,
    sumCosts: (
      source,
    ) => `SELECT ${ofNames.join(', ')}, sum(requests) AS requests, sum(customer_cost) AS customer_cost
      FROM ${source} GROUP BY ${names.map((_, at) => at + 1).join(', ')}`,
  };
}

function composeGroup(group: UsageGroup, values: unknown[]): string {
  if (isTime(group)) return TIME_GROUPS[group];
  const tag = tagOf(group);
  return tag === undefined
    ? columnOf(group as UsageDimension)
    : `COALESCE(tags ->> $${values.push(tag)}, '')`;
}

/** Rows of the log with the columns of sums. */
function composeRows(columns: readonly string[], table: string): string {
  const dimensions = columns.map((column) => `COALESCE(${column}, '') AS ${column}`).join(', ');
  return `SELECT usage_hour_of(started_at) AS hour, ${dimensions}, tags, 1 AS requests, ${SUMS.join(', ')} FROM ${table}`;
}

/** The sources: whole days, hours, and rows. Each is summed up separately, so that few lines are left to merge. */
function composeParts(source: UsageSource, sumUp: SumUp, { from, to, own }: Bounds): string[] {
  const columns = SOURCE_COLUMNS[source === 'days' ? 'hours' : source];
  const rows = (table: string, where: string): string =>
    sumUp(
      `(${composeRows(columns, table)} WHERE ${where} AND started_at >= ${from} AND started_at < ${to} ${own}) AS row`,
    );
  const uncounted = [
    rows('request_log', 'started_at >= (SELECT counted_through FROM log_state)'),
    rows('request_log', 'started_at < (SELECT retention_cutoff FROM log_state)'),
  ];
  const late = (more = ''): string =>
    rows(
      'late JOIN request_log ON started_at >= late.hour',
      `started_at < late.hour + interval '1 hour' ${more}`,
    );
  const hours = (table: string, more = ''): string =>
    sumUp(`${table} JOIN span ON hour >= span.starts_at AND hour < span.ends_at
      WHERE hour >= ${from} AND hour < ${to} ${own} ${more} AND hour <> ALL (ARRAY(SELECT hour FROM late))`);
  const days = sumUp(`(SELECT day AS hour, * FROM usage_day) AS whole
    WHERE hour >= (SELECT first_day FROM bound) AND hour < (SELECT last_day FROM bound) ${own}
      AND hour <> ALL (ARRAY(SELECT day FROM open))`);
  if (source === 'days') return [hours('usage_hour'), days, ...uncounted, late()];
  if (source === 'hours') return [hours('usage_hour'), ...uncounted, late()];
  const expired = composeExpired(columns, sumUp, { from, to, own });
  if (source === 'rows') return [rows('request_log', 'true'), expired];
  const isDetailed = '(SELECT detailed_from FROM log_state)';
  return [
    hours('usage_detail', `AND hour >= ${isDetailed}`),
    // Counted by an earlier version, which had no details.
    rows(
      'request_log',
      `started_at >= (SELECT retention_cutoff FROM log_state)
      AND started_at < (SELECT LEAST(detailed_from, counted_through) FROM log_state)`,
    ),
    ...uncounted,
    late(`AND late.hour >= ${isDetailed}`),
    expired,
  ];
}

/** Usage whose rows are gone: it has no other names than the sums per hour. */
function composeExpired(columns: readonly string[], sumUp: SumUp, { from, to, own }: Bounds): string {
  const known = SOURCE_COLUMNS.hours;
  const dimensions = columns.map((column) => (known.includes(column) ? column : `'' AS ${column}`));
  return sumUp(`(SELECT * FROM (
      SELECT hour, ${dimensions.join(', ')}, NULL::jsonb AS tags, ${COUNTED.join(', ')} FROM usage_hour
      WHERE hour < (SELECT retention_cutoff FROM log_state) AND hour >= ${from} AND hour < ${to}
    ) AS gone WHERE true ${own}) AS row`);
}
