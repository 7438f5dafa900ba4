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

export function readAccessSearch({ organization, part, open }: Record<string, unknown>): AccessSearch {
  const known = PARTS.find((name) => name === part);
  const isId = (value: unknown): value is string => typeof value === 'string' && value !== '';
  return {
    ...(isId(organization) && { organization }),
    ...(known && { part: known }),
    ...(isId(open) && { open }),
  };
}

/** The same place with no record open. */
export const withoutOpen = ({ organization, part }: AccessSearch): AccessSearch =>
  readAccessSearch({ organization, part });
