import { readTexts } from '../parts/read-texts.ts';

const HOUR_MS = 3_600_000;
/** Periods up to now, and by what their sums are drawn. */
export const RANGES = {
  day: { name: 'Last 24 hours', step: 'hour', hours: 24 },
  week: { name: 'Last 7 days', step: 'day', hours: 7 * 24 },
  month: { name: 'Last 30 days', step: 'day', hours: 30 * 24 },
  year: { name: 'Last 12 months', step: 'month', months: 12 },
} as const;
export const OWN_GROUPS = ['model', 'provider', 'key', 'client', 'user', 'finish'] as const;
export const GROUPS = [...OWN_GROUPS, 'member', 'project', 'organization'] as const;
export type Range = keyof typeof RANGES;
export const RANGE_NAMES = Object.keys(RANGES) as Range[];
export type UsageBy = (typeof GROUPS)[number];

/** When a period begins: sums are kept by the hour, and months are those of UTC. */
export function startOf(range: Range, now: number): string {
  const period = RANGES[range];
  const date = new Date(now);
  const start =
    'months' in period
      ? Date.UTC(date.getUTCFullYear(), date.getUTCMonth() + 1 - period.months)
      : (Math.floor(now / HOUR_MS) + 1 - period.hours) * HOUR_MS;
  return new Date(start).toISOString();
}

/** The label of a group whose name in the API is too short to understand. */
export const nameGroup = (by: UsageBy): string => NAMES[by] ?? by;
const NAMES: { readonly [By in UsageBy]?: string } = { finish: 'ending', user: 'end user' };

export interface NowSearch {
  range?: Range;
  by?: UsageBy;
  organization_id?: string;
  project_id?: string;
  member_id?: string;
  key_id?: string;
}

export function readNowSearch(search: Record<string, unknown>): NowSearch {
  const known = GROUPS.find((name) => name === search['by']);
  const range = RANGE_NAMES.find((name) => name === search['range']);
  return {
    ...(range !== undefined && range !== 'day' && { range }),
    ...(known ? { by: known } : {}),
    ...readTexts(search, 'organization_id', 'project_id', 'member_id', 'key_id'),
  };
}
