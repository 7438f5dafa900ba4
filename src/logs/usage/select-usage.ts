import type { Statement } from '#storage';
import type { Tenant } from '../rows/log-filter.ts';
import { type RequestFilter, columnOfFilter, composeValues, valuesOf } from '../rows/request-filters.ts';
import {
  HOURLY_COLUMNS,
  RANKS,
  TIME_GROUPS,
  USAGE_FILTERS,
  type UsageDimension,
  type UsageFilterName,
  type UsageGroup,
  type UsageSource,
  chooseSource,
  columnOf,
  isTime,
  tagOf,
} from './usage-groups.ts';
import { type Group, type GroupNames, composeAmong, composeLists, divideNames } from './usage-lists.ts';
import { USAGE_COLUMNS } from '../rows/usage-columns.ts';
import { type Span, divideSpan, toHours } from './usage-spans.ts';
import type { UsageState } from './usage-state.ts';

/** Filters usage. Times are milliseconds since the Unix epoch; an hour counts as a whole, by when requests started. */
export interface UsageFilter extends Omit<Pick<RequestFilter, UsageFilterName>, 'organizationId'> {
  /** One line for each of their combinations; a single line if empty. */
  by?: readonly UsageGroup[];
  /** How many combinations get a line, the most expensive ones; the others are summed up. 100 by default, 10,000 at most. */
  top?: number;
  since?: number;
  until?: number;
}

export const USUAL_TOP = 100;
export const MOST_TOP = 10_000;

const SUMS = [...Object.values(USAGE_COLUMNS), 'customer_cost', 'provider_cost'];
const COUNTED = ['requests', ...SUMS];
const RANKED_BY = ['requests', 'ranked_cost'];
const RANKED_COST = 'customer_cost::float8 AS ranked_cost';

/** A report, and the state that its snapshot sees. */
export interface UsageQuestion {
  filter: UsageFilter & Partial<Tenant>;
  state: UsageState;
  /** The only combinations of names to sum up. */
  top?: readonly GroupNames[] | undefined;
  /** The only values of one name. */
  only?: { group: UsageDimension; values: readonly string[] } | undefined;
  /** Whether combinations are so many that their lines are merged in order. */
  isSorted?: boolean;
}

/** Of a report, or of what is not in sums per day. */
type PartsQuestion = UsageQuestion & { isRecent?: boolean };

const toGroups = ({ by = [] }: UsageFilter): Group[] => by.map((group, at) => ({ group, name: `by_${at}` }));
const isNamed = ({ group }: Group): boolean => !isTime(group);
const toName = ({ name }: Group): string => name;

export const limitTop = ({ top = USUAL_TOP }: UsageFilter): number =>
  Math.min(Math.max(Math.trunc(top), 1), MOST_TOP);

/** The combinations of names that cost most. */
export function selectTop(question: UsageQuestion): Statement {
  const groups = toGroups(question.filter).filter(isNamed);
  const names = groups.map(toName).join(', ');
  const { text: parts, values } = createParts(question, groups, RANKED_BY);
  const text = `SELECT ${names}, sum(ranked_cost) AS ranked_cost, sum(requests::float8) AS ranked_requests
    FROM (${parts}) AS part GROUP BY ${names} ORDER BY ranked_cost DESC, ranked_requests DESC, ${names} LIMIT ${limitTop(question.filter)}`;
  return { text, values };
}

/** The sums of each combination: of those in `top`, if it is given. */
export function selectSums(question: UsageQuestion): Statement {
  const groups = toGroups(question.filter);
  const { text: parts, values, lists } = createParts(question, groups, COUNTED);
  const using = [...lists.keys()].join(', ');
  const join =
    lists.size === 0
      ? ''
      : `JOIN unnest(${[...lists.values()].join(', ')}) AS ranked (${using}) USING (${using})`;
  const names = groups.map(toName);
  const totals = COUNTED.map((column) => `sum(${column})::text AS ${column}`);
  const group = names.length === 0 ? 'HAVING sum(requests) IS NOT NULL' : `GROUP BY ${names.join(', ')}`;
  const times = groups.filter((one) => !isNamed(one)).map(toName);
  const order = [...times, 'sum(customer_cost) DESC', 'sum(requests) DESC', ...names];
  const text = `SELECT ${[...groups.map(composeText), ...totals].join(', ')} FROM (${parts}) AS part ${join} ${group}
    ORDER BY ${order.join(', ')}`;
  return { text, values };
}

/** A span of time becomes text after lines are summed up: printing takes longer than adding. */
const composeText = ({ group, name }: Group): string =>
  isTime(group) ? `to_char(${name} AT TIME ZONE 'UTC', '${TIME_GROUPS[group].format}') AS ${name}` : name;

/** Two names, of which one is of agents. */
export interface AgentPair {
  agent: UsageDimension & ('agent' | 'parent-agent');
  other: UsageDimension & ('session' | 'run' | 'turn' | 'user' | 'token');
}

/**
 * Ranks the other name of a pair: sessions, runs and turns by the most that one agent may cost there, and end users and tokens by
 * what requests without an agent cost.
 */
export function selectRanks(question: UsageQuestion, { agent, other }: AgentPair, limit: number): Statement {
  const groups = [other, agent].map((group, at) => ({ group, name: `by_${at}` }));
  const {
    text: recent,
    values,
    days,
  } = createParts({ ...question, isRecent: true }, groups, ['ranked_cost']);
  const bind = (value: unknown): string => `$${values.push(value)}`;
  const combined = `SELECT by_0, by_1, sum(ranked_cost) AS cost FROM (${recent}) AS part GROUP BY by_0, by_1`;
  const least = hasBound(other) ? 'max(cost)' : "COALESCE(sum(cost) FILTER (WHERE by_1 = ''), 0)";
  const parts = [
    `(SELECT by_0, ${least} AS cost FROM (${combined}) AS combined GROUP BY by_0 ORDER BY by_0)`,
  ];
  const cost = agent === 'agent' ? 'agent_cost' : 'parent_cost';
  if (days.within.length > 0)
    parts.push(`(SELECT name AS by_0, ${cost} AS cost FROM usage_day_rank
      WHERE kind = ${bind(other)} AND ${composeSpans(days.within, 'day', bind)}${days.conditions} ORDER BY name)`);
  const text = `SELECT by_0, sum(cost) AS ranked_cost FROM (${parts.join(' UNION ALL ')}) AS part
    GROUP BY by_0 ORDER BY ranked_cost DESC, by_0 LIMIT ${limit}`;
  return { text, values };
}

/**
 * The agents of the lines of whole days that cost most, with what those cost, and all agents that may have more than one line or
 * are not in a whole day. Undefined where no whole day is summed up.
 */
export function selectAgents(
  question: UsageQuestion,
  { lines, others }: { lines: number; others: number },
): Statement | undefined {
  const groups: Group[] = [{ group: 'agent', name: 'by_0' }];
  const { text: recent, values, days } = createParts({ ...question, isRecent: true }, groups, []);
  if (days.within.length === 0) return undefined;
  const within = composeSpans(days.within, 'day', (value) => `$${values.push(value)}`);
  const text = `(SELECT agent_id AS by_0, ranked_cost FROM usage_day_agent_name
      WHERE agent_id <> '' AND ${within}${days.conditions} ORDER BY ranked_cost DESC LIMIT ${lines})
    UNION ALL (SELECT by_0, NULL FROM (SELECT by_0 FROM (${recent}) AS part
      UNION SELECT agent_id FROM usage_repeated_agent WHERE true${days.conditions} UNION SELECT '') AS other LIMIT ${others})`;
  return { text, values };
}

/** Whether what ranks the name bounds every combination with it. */
export const hasBound = (other: AgentPair['other']): boolean => other !== 'user' && other !== 'token';

interface Parts {
  text: string;
  values: unknown[];
  /** The placeholder of the values in `top` of each name. */
  lists: ReadonlyMap<string, string>;
  /** The whole days that are summed up, and the filters of their lines. */
  days: { within: readonly Span[]; conditions: string };
}

/** The lines and rows that are summed up, with the names they are grouped by. */
function createParts(
  { filter, state, top, only, isSorted = false, isRecent = false }: PartsQuestion,
  groups: readonly Group[],
  counted: readonly string[],
): Parts {
  const by = groups.map(({ group }) => group);
  const values: unknown[] = [];
  const bind = (value: unknown): string => `$${values.push(value)}`;
  const ranked = top === undefined ? [] : groups.filter(isNamed);
  const lists = new Map(
    ranked.map(({ name }) => [name, `${bind(top?.map((line) => line[name]))}::text[]`] as const),
  );
  const own = USAGE_FILTERS.filter((name) => filter[name] !== undefined);
  const filtered = own.map(columnOfFilter);
  const source = isRecent ? RANKS : chooseSource(by, filtered);
  // A session has few lines, and an index by hour.
  const isHourly = (by.includes('hour') && source.isByHour !== true) || filter.sessionId !== undefined;
  const spans = divideSpan(toHours(filter), { source, state, isHourly });
  const { wanted, conditions } = createConditions({ filter, only }, own, bind);
  // A value that is bound must be used.
  const isSummed = spans.days.length > 0 || spans.hours.length > 0;
  const listed = isSummed ? composeLists(ranked, { top, bind }) : '';
  const apart = spans.days.length === 0 ? undefined : divideNames(ranked, { top, bind, filtered });
  const names = groups.map(({ group, name }) => `${composeGroup(group, bind)} AS ${name}`);
  const columns = [...names, ...counted].join(', ');
  const order = isSorted ? ` ORDER BY ${groups.map(toName).join(', ')}` : '';
  const parts = [
    {
      within: isRecent ? [] : spans.days,
      table: composeLines(source, `SELECT day AS hour, * FROM ${source.days}`),
      ranked: `${listed}${apart?.named ?? ''}`,
    },
    {
      within: apart ? spans.days : [],
      table: '(SELECT * FROM usage_hour_unnamed) AS line',
      ranked: apart?.unnamed,
    },
    { within: spans.hours, table: composeLines(source, `SELECT * FROM ${source.hours}`), ranked: listed },
    { within: spans.rows, table: composeRows(source, wanted), moment: 'started_at' },
    { within: spans.expired, table: composeExpired(source) },
  ];
  const read = parts.filter(({ within }) => within.length > 0);
  // A statement needs some part, to have its columns.
  const asked = read.length > 0 ? read : [{ within: [NEVER], table: composeExpired(source) }];
  const texts = asked.map(
    ({ within, table, moment = 'hour', ranked = '' }) =>
      `(SELECT ${columns} FROM ${table} WHERE ${composeSpans(within, moment, bind)}${conditions}${ranked}${order})`,
  );
  const days = { within: spans.days, conditions };
  return { text: texts.join(' UNION ALL '), values, lists, days };
}

/** The filters that are set, with the values of `only`, and their SQL. */
function createConditions(
  { filter, only }: Pick<UsageQuestion, 'filter' | 'only'>,
  own: readonly UsageFilterName[],
  bind: (value: unknown) => string,
): { wanted: Wanted[]; conditions: string } {
  const wanted = own.map((name): Wanted => {
    const values = valuesOf(name, filter[name] ?? '');
    return { column: columnOfFilter(name), is: composeValues(values, bind), isMissing: filter[name] === '' };
  });
  const equal = wanted.map(({ column, is }) => ` AND ${column} ${is}`);
  const among = only && composeAmong(columnOf(only.group), `${bind(only.values)}::text[]`, only.values);
  return { wanted, conditions: [...equal, among].join('') };
}

/** A filter of requests. */
interface Wanted {
  column: string;
  /** The comparison with its value. */
  is: string;
  /** Whether requests without the name are meant. */
  isMissing: boolean;
}

const NEVER: Span = { from: 0, to: 0 };

function composeGroup(group: UsageGroup, bind: (value: unknown) => string): string {
  if (isTime(group)) return TIME_GROUPS[group].start;
  const tag = tagOf(group);
  return tag === undefined ? columnOf(group as UsageDimension) : `COALESCE(tags ->> ${bind(tag)}, '')`;
}

function composeSpans(spans: readonly Span[], moment: string, bind: (value: unknown) => string): string {
  const toMoment = (ms: number): string => `to_timestamp(${bind(ms)}::float8 / 1000)`;
  const each = spans.map(({ from, to }) => `${moment} >= ${toMoment(from)} AND ${moment} < ${toMoment(to)}`);
  return `(${each.join(' OR ')})`;
}

function composeLines({ isDetailed }: UsageSource, lines: string): string {
  return isDetailed ? `(${lines}) AS line` : `(SELECT *, ${RANKED_COST} FROM (${lines}) AS sum) AS line`;
}

/** Rows of the log with the columns of sums. Their filters are here, because indexes know a missing name as NULL. */
function composeRows({ columns }: UsageSource, wanted: readonly Wanted[]): string {
  const dimensions = columns.map((column) => `COALESCE(${column}, '') AS ${column}`);
  const own = wanted.map(({ column, is, isMissing }) =>
    isMissing ? `AND (${column} ${is} OR ${column} IS NULL)` : `AND ${column} ${is}`,
  );
  return `(SELECT started_at, usage_hour_of(started_at) AS hour, ${dimensions.join(', ')}, tags, 1::bigint AS requests,
    ${SUMS.join(', ')}, ${RANKED_COST} FROM request_log WHERE true ${own.join(' ')}) AS request`;
}

/** Usage whose rows are gone; it has only the names of the sums per hour. */
function composeExpired({ columns }: UsageSource): string {
  const dimensions = columns.map((column) => (HOURLY_COLUMNS.includes(column) ? column : `'' AS ${column}`));
  return `(SELECT hour, ${dimensions.join(', ')}, NULL::jsonb AS tags, ${COUNTED.join(', ')}, ${RANKED_COST}
    FROM usage_hour) AS gone`;
}
