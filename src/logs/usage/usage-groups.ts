import { USAGE_COLUMNS } from '../rows/usage-columns.ts';
import { type ColumnName, type ColumnOf, COLUMN_NAMES, columnOfFilter } from '../rows/request-filters.ts';

/** Dimensions of usage that remain when rows are dropped, and those that are dropped with them. */
const HOURLY = {
  organization: 'organization_id',
  project: 'project_id',
  key: 'key_id',
  model: 'model_id',
  provider: 'provider_id',
  finish: 'finish_reason',
} as const;
const DETAILED = {
  member: 'member_id',
  client: 'client_name',
  session: 'session_id',
  agent: 'agent_id',
  user: 'end_user_id',
  token: 'session_token_id',
  'client-version': 'client_version',
  'parent-agent': 'parent_agent_id',
  run: 'run_id',
  turn: 'turn_id',
  'cache-miss': 'miss_reason',
} as const;

const DIMENSIONS = { ...HOURLY, ...DETAILED } as const;

/** Spans of time, in UTC: where each begins, and how it is written. */
export const TIME_GROUPS = {
  month: { start: `date_trunc('month', hour, 'UTC')`, format: 'YYYY-MM' },
  day: { start: 'usage_day_of(hour)', format: 'YYYY-MM-DD' },
  hour: { start: 'hour', format: 'YYYY-MM-DD"T"HH24":00:00Z"' },
} as const;

export type UsageDimension = keyof typeof DIMENSIONS;
type TimeGroup = keyof typeof TIME_GROUPS;
/** `tag:NAME` is the value of a tag. */
export type UsageGroup = UsageDimension | TimeGroup | `tag:${string}`;

/** The names of all groups but tags. */
export const USAGE_GROUPS = [...Object.keys(DIMENSIONS), ...Object.keys(TIME_GROUPS)] as (
  | UsageDimension
  | TimeGroup
)[];
export const USAGE_GROUPS_HELP = `${USAGE_GROUPS.join(', ')} and tag:NAME`;

/** Tables of sums with the same dimensions. */
export interface UsageSource {
  readonly days?: string;
  /** Whether `days` has lines per hour of whole days, for reports by hour alone. */
  readonly isByHour?: boolean;
  readonly hours: string;
  readonly columns: readonly string[];
  readonly hasTags?: boolean;
  /** Whether its sums are dropped with the rows. */
  readonly isDetailed: boolean;
}

type DimensionColumn = (typeof DIMENSIONS)[UsageDimension];
/** Filters of requests that select by a dimension. */
export type UsageFilterName = {
  [Name in ColumnName]: ColumnOf<Name> extends DimensionColumn ? Name : never;
}[ColumnName];

export const USAGE_FILTERS = COLUMN_NAMES.filter((name): name is UsageFilterName =>
  Object.values<string>(DIMENSIONS).includes(columnOfFilter(name)),
);

const toColumns = (names: readonly (keyof typeof DIMENSIONS)[]): readonly string[] =>
  names.map((name) => DIMENSIONS[name]);

/** The columns of dimensions that sums per hour have. */
export const HOURLY_COLUMNS: readonly string[] = Object.values(HOURLY);
const DAILY = ['organization', 'project', 'model', 'provider'] as const;
const FEW = [...DAILY, 'key', 'finish', 'member', 'client', 'client-version', 'cache-miss'] as const;
const OF_SESSIONS = [
  ...DAILY,
  ...(['key', 'member', 'client', 'client-version', 'session', 'user', 'token'] as const),
] as const;
const OF_CLIENTS = [...DAILY, 'key', 'member', 'client', 'client-version'] as const;
const OF_AGENTS = [...OF_SESSIONS, 'agent', 'parent-agent'] as const;

/** With all dimensions. */
const WHOLE = {
  hours: 'usage_detail',
  columns: Object.values(DIMENSIONS),
  hasTags: true,
  isDetailed: true,
} as const;

/** Sums per day that names are ranked by, besides lines per hour of all dimensions. */
export const RANKS: UsageSource = { ...WHOLE, days: 'usage_day_rank' };

const NAMES = ['agent', 'parent-agent', 'session', 'user', 'token', 'run', 'turn'] as const;

type ManyName = (typeof NAMES)[number];

/** Whether usage without this name is summed up by itself. */
export const isUnnamed = (group: UsageGroup): group is ManyName =>
  (NAMES as readonly UsageGroup[]).includes(group);

/** Whether sums of usage without a name have these columns. */
export const hasUnnamed = (columns: readonly string[]): boolean =>
  columns.every((column) => toColumns(DAILY).includes(column));

/** Lines per hour with a name, found by its index, and the few that sum up what has no such name. */
function createHourly(name: ManyName): UsageSource {
  const columns = toColumns([...DAILY, name]);
  const sums = [...Object.values(USAGE_COLUMNS), 'requests', 'customer_cost', 'provider_cost'];
  const read = (table: string, condition: string): string =>
    `SELECT hour AS day, ${[...columns, ...sums].join(', ')} FROM ${table} WHERE ${DIMENSIONS[name]} ${condition} ''`;
  const days = `(${read('usage_detail', '<>')} UNION ALL ${read('usage_hour_unnamed', '=')}) AS hours`;
  return { ...WHOLE, days, columns, hasTags: false, isByHour: true };
}

/** With the fewest lines first. */
const SOURCES: readonly UsageSource[] = [
  { days: 'usage_day', hours: 'usage_hour', columns: toColumns(DAILY), isDetailed: false },
  { days: 'usage_day_client', hours: 'usage_hour_client', columns: toColumns(FEW), isDetailed: true },
  {
    days: 'usage_day_tag',
    hours: 'usage_hour_tag',
    columns: toColumns(FEW),
    hasTags: true,
    isDetailed: true,
  },
  ...NAMES.map(createHourly),
  { ...WHOLE, days: 'usage_day_tag_parent', columns: toColumns([...FEW, 'parent-agent']) },
  { ...WHOLE, days: 'usage_day_tag_token', columns: toColumns([...FEW, 'token']) },
  { ...WHOLE, days: 'usage_day_session', columns: toColumns(OF_SESSIONS), hasTags: false },
  {
    ...WHOLE,
    days: 'usage_day_agent_name',
    columns: toColumns([...OF_CLIENTS, 'agent', 'parent-agent']),
    hasTags: false,
  },
  { ...WHOLE, days: 'usage_day_run', columns: toColumns([...OF_CLIENTS, 'run', 'turn']), hasTags: false },
  { ...WHOLE, days: 'usage_day_tag_user', columns: toColumns([...FEW, 'user', 'token']) },
  { ...WHOLE, days: 'usage_day_tag_agent', columns: toColumns([...FEW, 'agent', 'parent-agent']) },
  { ...WHOLE, days: 'usage_day_agent', columns: toColumns(OF_AGENTS), hasTags: false },
];

export const columnOf = (dimension: UsageDimension): string => DIMENSIONS[dimension];

export function isTime(group: UsageGroup): group is TimeGroup {
  return Object.hasOwn(TIME_GROUPS, group);
}

/** The name of a tag; undefined for other groups. */
export function tagOf(group: UsageGroup): string | undefined {
  return group.startsWith('tag:') ? group.slice('tag:'.length) : undefined;
}

/** The smallest sums that have a report's groups and the columns it filters by. */
export function chooseSource(groups: readonly UsageGroup[], filtered: readonly string[]): UsageSource {
  const has = (source: UsageSource): boolean =>
    (source.isByHour !== true || groups.includes('hour')) &&
    filtered.every((column) => source.columns.includes(column)) &&
    groups.every((group) =>
      tagOf(group) === undefined
        ? isTime(group) || source.columns.includes(columnOf(group as UsageDimension))
        : source.hasTags === true,
    );
  return SOURCES.find(has) ?? WHOLE;
}

/** Groups separated by commas; undefined if one is not known. */
export function readUsageGroups(text: string): UsageGroup[] | undefined {
  const groups = text.split(',').map((word) => word.trim());
  const isKnown = (word: string): boolean =>
    USAGE_GROUPS.some((name) => name === word) || /^tag:.{1,64}$/u.test(word);
  return groups.every(isKnown) && new Set(groups).size === groups.length
    ? (groups as UsageGroup[])
    : undefined;
}

/** The label of the hour, day or month of a row with an `hour`. */
export function composeTime(group: TimeGroup): string {
  const { start, format } = TIME_GROUPS[group];
  return `to_char(${start} AT TIME ZONE 'UTC', '${format}')`;
}
