import { readTexts } from '../parts/read-texts.ts';

export const RANGES = { day: 24, week: 7 * 24, month: 30 * 24 } as const;
export const OWN_GROUPS = ['model', 'provider', 'key', 'client', 'user', 'finish'] as const;
export const GROUPS = [...OWN_GROUPS, 'member', 'project', 'organization'] as const;
export type Range = keyof typeof RANGES;
export type UsageBy = (typeof GROUPS)[number];

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
  const { range, by } = search;
  const known = GROUPS.find((name) => name === by);
  return {
    ...(range === 'week' || range === 'month' ? { range } : {}),
    ...(known ? { by: known } : {}),
    ...readTexts(search, 'organization_id', 'project_id', 'member_id', 'key_id'),
  };
}
