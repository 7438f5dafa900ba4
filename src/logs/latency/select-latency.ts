import type { Statement } from '#storage';
import type { Tenant } from '../rows/log-filter.ts';
import { type RequestFilter, columnOfFilter } from '../rows/request-filters.ts';
import {
  type UsageDimension,
  type UsageGroup,
  type UsageSource,
  columnOf,
  composeTime,
  isTime,
} from '../usage/usage-groups.ts';
import { type Span, divideSpan, toHours } from '../usage/usage-spans.ts';
import type { UsageState } from '../usage/usage-state.ts';

const NAMED = ['organization', 'project', 'member', 'model', 'provider'] as const satisfies UsageDimension[];
/** What times are grouped by. */
export const LATENCY_GROUPS = [...NAMED, 'hour', 'day', 'month'] as const satisfies UsageGroup[];
export type LatencyGroup = (typeof LATENCY_GROUPS)[number];

const FILTERS = ['organizationId', 'projectId', 'memberId', 'model', 'providerId'] as const;

/** Filters times. Times are milliseconds since the Unix epoch; an hour counts as a whole, by when requests started. */
export interface LatencyFilter extends Omit<Pick<RequestFilter, (typeof FILTERS)[number]>, 'organizationId'> {
  by?: readonly LatencyGroup[];
  since?: number;
  until?: number;
}

/** Of all groups, those with the most answers get a line. */
export const MOST_LINES = 1_000;

const toColumns = (names: readonly UsageDimension[]): string[] => names.map(columnOf);

/** With the fewest rows first. */
const SOURCES: readonly UsageSource[] = [
  { days: 'latency_day', columns: toColumns(['organization', 'project', 'member']) },
  { days: 'latency_day_model', columns: toColumns(['organization', 'model', 'provider']) },
  { columns: toColumns(NAMED) },
].map((source) => ({ ...source, hours: 'latency_hour', isDetailed: true }));

/** The counts of each bucket, one row for each combination of `by`. */
export function selectLatency(filter: LatencyFilter & Partial<Tenant>, state: UsageState): Statement {
  const { by = [] } = filter;
  const values: unknown[] = [];
  const bind = (value: unknown): string => `$${values.push(value)}`;
  const own = FILTERS.filter((name) => filter[name] !== undefined);
  const columns = [...toColumns(by.filter((group) => !isTime(group))), ...own.map(columnOfFilter)];
  const source = SOURCES.find((one) => columns.every((column) => one.columns.includes(column)));
  if (!source) throw new Error('no times have these names');
  const conditions = own.map((name) => ` AND ${columnOfFilter(name)} = ${bind(filter[name])}`).join('');
  const groups = by.map((group, at) => `${composeGroup(group)} AS by_${at}`);
  const spans = divideSpan(toHours(filter), {
    source,
    state: { ...state, detailedFrom: state.timedFrom },
    isHourly: by.includes('hour'),
  });
  const compose = (table: string, span: Span): string =>
    `SELECT ${[...groups, 'u.bucket', 'u.count'].join(', ')} FROM ${table}
      CROSS JOIN LATERAL unnest(buckets, counts) AS u (bucket, count) WHERE ${composeSpan(span, bind)}${conditions}`;
  const parts = [
    ...spans.days.map((span) => compose(`(SELECT day AS hour, * FROM ${source.days}) AS line`, span)),
    ...spans.hours.map((span) => compose('latency_hour', span)),
    ...[...spans.rows, NOTHING].map(
      ({ from, to }) =>
        `SELECT ${[...groups, 'bucket', 'count'].join(', ')}
          FROM latency_of_rows(${toMoment(bind(from))}, ${toMoment(bind(to))}) WHERE true${conditions}`,
    ),
  ];
  return { text: composeReport(parts, by), values };
}

/** A statement needs some part, to have its columns. */
const NOTHING: Span = { from: 0, to: 0 };

function composeReport(parts: readonly string[], by: readonly LatencyGroup[]): string {
  const names = by.map((_, at) => `by_${at}`);
  const each = [...names, 'bucket'].join(', ');
  const whole = names.length === 0 ? '' : `GROUP BY ${names.join(', ')}`;
  return `SELECT ${[...names, 'array_agg(bucket) AS buckets', 'array_agg(count) AS counts'].join(', ')}
    FROM (SELECT ${each}, sum(count)::float8 AS count FROM (${parts.join(' UNION ALL ')}) AS part GROUP BY ${each}) AS line
    ${whole} ORDER BY ${[...names.filter((_, at) => isTime(by[at] ?? 'hour')), 'sum(count) DESC', ...names].join(', ')}
    LIMIT ${MOST_LINES}`;
}

const composeGroup = (group: LatencyGroup): string => (isTime(group) ? composeTime(group) : columnOf(group));

const toMoment = (ms: string): string => `to_timestamp(${ms}::float8 / 1000)`;

function composeSpan({ from, to }: Span, bind: (value: unknown) => string): string {
  return `hour >= ${toMoment(bind(from))} AND hour < ${toMoment(bind(to))}`;
}
