/** Dimensions of usage that all sums per hour have, those of the sums in detail, and those that only rows have. */
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
} as const;
const OF_ROWS = {
  token: 'session_token_id',
  'client-version': 'client_version',
  'parent-agent': 'parent_agent_id',
  run: 'run_id',
  turn: 'turn_id',
  'cache-miss': 'miss_reason',
} as const;

const DIMENSIONS = { ...HOURLY, ...DETAILED, ...OF_ROWS } as const;

/** Spans of time, in UTC. */
export const TIME_GROUPS = {
  month: `to_char(hour AT TIME ZONE 'UTC', 'YYYY-MM')`,
  day: `to_char(hour AT TIME ZONE 'UTC', 'YYYY-MM-DD')`,
  hour: `to_char(hour AT TIME ZONE 'UTC', 'YYYY-MM-DD"T"HH24":00:00Z"')`,
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

/** Tables of sums with the same dimensions; the rows themselves have no table. */
export interface UsageSource {
  readonly days?: string;
  readonly hours?: string;
  readonly columns: readonly string[];
  /** Whether its sums are dropped with the rows. */
  readonly isDetailed: boolean;
}

const toColumns = (names: readonly (keyof typeof DIMENSIONS)[]): readonly string[] =>
  names.map((name) => DIMENSIONS[name]);

/** The columns of dimensions that sums per hour have. */
export const HOURLY_COLUMNS: readonly string[] = Object.values(HOURLY);
const DAILY = ['organization', 'project', 'model', 'provider'] as const;

/** With the fewest lines first. */
const SOURCES: readonly UsageSource[] = [
  { days: 'usage_day', hours: 'usage_hour', columns: toColumns(DAILY), isDetailed: false },
  { hours: 'usage_hour', columns: HOURLY_COLUMNS, isDetailed: false },
  {
    days: 'usage_day_client',
    hours: 'usage_detail',
    columns: toColumns([...DAILY, 'key', 'finish', 'member', 'client']),
    isDetailed: true,
  },
  {
    days: 'usage_day_session',
    hours: 'usage_detail',
    columns: toColumns([...DAILY, 'key', 'member', 'client', 'session', 'user']),
    isDetailed: true,
  },
  { hours: 'usage_detail', columns: Object.values({ ...HOURLY, ...DETAILED }), isDetailed: true },
];
const ROWS: UsageSource = { columns: Object.values(DIMENSIONS), isDetailed: true };

export const columnOf = (dimension: UsageDimension): string => DIMENSIONS[dimension];

export function isTime(group: UsageGroup): group is TimeGroup {
  return Object.hasOwn(TIME_GROUPS, group);
}

/** The name of a tag; undefined for other groups. */
export function tagOf(group: UsageGroup): string | undefined {
  return group.startsWith('tag:') ? group.slice('tag:'.length) : undefined;
}

/** The sums with the fewest lines that have what a report needs. */
export function chooseSource(groups: readonly UsageGroup[]): UsageSource {
  const columns = groups.filter((group) => !isTime(group)).map((group) => findColumn(group));
  const has = (source: UsageSource): boolean =>
    columns.every((column) => column !== undefined && source.columns.includes(column));
  return SOURCES.find(has) ?? ROWS;
}

const findColumn = (group: UsageGroup): string | undefined =>
  tagOf(group) === undefined ? columnOf(group as UsageDimension) : undefined;

/** Groups separated by commas; undefined if one is not known. */
export function readUsageGroups(text: string): UsageGroup[] | undefined {
  const groups = text.split(',').map((word) => word.trim());
  const isKnown = (word: string): boolean =>
    USAGE_GROUPS.some((name) => name === word) || /^tag:.{1,64}$/u.test(word);
  return groups.every(isKnown) && new Set(groups).size === groups.length
    ? (groups as UsageGroup[])
    : undefined;
}
