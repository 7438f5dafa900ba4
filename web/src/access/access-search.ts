import { readTexts } from '../parts/read-texts.ts';

export const PARTS = [
  'keys',
  'members',
  'projects',
  'limits',
  'money',
  'provider-keys',
  'custom-providers',
  'admin-keys',
  'sessions',
] as const;
export type Part = (typeof PARTS)[number];

export interface AccessSearch {
  /** The organization that is shown; the first by default. */
  organization?: string;
  part?: Part;
  /** The id of the record of this part that is open. */
  open?: string;
}

export function readAccessSearch(search: Record<string, unknown>): AccessSearch {
  const part = PARTS.find((name) => name === search['part']);
  return { ...readTexts(search, 'organization'), ...(part && { part }), ...readTexts(search, 'open') };
}

/** The same place with no record open. */
export const withoutOpen = ({ organization, part }: AccessSearch): AccessSearch =>
  readAccessSearch({ organization, part });
