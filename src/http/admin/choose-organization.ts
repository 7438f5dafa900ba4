import type { AdminCaller } from '#accounts';

/** Whose records a report has: those of all organizations, of one, or none, because the admin key may not see them. */
export function chooseOrganization(
  { organizationId: own }: Pick<AdminCaller, 'organizationId'>,
  wanted: string | undefined,
): 'all' | 'none' | { organizationId: string } {
  const organizationId = wanted ?? own;
  if (own !== undefined && organizationId !== own) return 'none';
  return organizationId === undefined ? 'all' : { organizationId };
}
