/** Dimensions of usage that sums per hour have, those of the sums in detail, and those that only rows have. */
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
} as const;

const DIMENSIONS = { ...HOURLY, ...DETAILED, ...OF_ROWS } as const;

/** Spans of time, in UTC. */
export const TIME_GROUPS = {
  month: `to_char(hour AT TIME ZONE 'UTC', 'YYYY-MM')`,
  day: `to_char(hour AT TIME ZONE 'UTC', 'YYYY-MM-DD')`,
  hour: `to_char(hour AT TIME ZONE 'UTC', 'YYYY-MM-DD"T"HH24":00:00Z"')`,
} as const;

/** Dimensions of daily sums, which do not distinguish keys or finish reasons. */
const DAILY: ReadonlySet<string> = new Set(['organization', 'project', 'model', 'provider', 'day', 'month']);

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

/** The least detailed sums that have what a report needs. */
export type UsageSource = 'days' | 'hours' | 'details' | 'rows';

/** The columns of dimensions that a source of sums has. */
export const SOURCE_COLUMNS: Readonly<Record<Exclude<UsageSource, 'days'>, readonly string[]>> = {
  hours: Object.values(HOURLY),
  details: [...Object.values(HOURLY), ...Object.values(DETAILED)],
  rows: Object.values(DIMENSIONS),
};

export const columnOf = (dimension: UsageDimension): string => DIMENSIONS[dimension];

export function isTime(group: UsageGroup): group is TimeGroup {
  return Object.hasOwn(TIME_GROUPS, group);
}

/** The name of a tag; undefined for other groups. */
export function tagOf(group: UsageGroup): string | undefined {
  return group.startsWith('tag:') ? group.slice('tag:'.length) : undefined;
}

export function chooseSource(groups: readonly UsageGroup[]): UsageSource {
  const has = (some: object, group: string): boolean =>
    Object.hasOwn(some, group) || isTime(group as UsageGroup);
  if (groups.every((group) => DAILY.has(group))) return 'days';
  if (groups.every((group) => has(HOURLY, group))) return 'hours';
  return groups.every((group) => has(HOURLY, group) || has(DETAILED, group)) ? 'details' : 'rows';
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
