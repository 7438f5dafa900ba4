import type { AdminCaller } from '#accounts';
import type { Query } from './read-query.ts';

/** Whose requests a report is about; absent: those of all. */
interface ReportTenant {
  organizationId?: string;
  memberId?: string;
}

/**
 * What the query asks for, within what the caller is bound to; undefined if the query names another organization or
 * another member.
 */
export function findTenant(
  { organizationId, memberId }: AdminCaller,
  query: Query,
): ReportTenant | undefined {
  const organization = query['organization_id'] ?? organizationId;
  const member = query['member_id'] ?? memberId;
  if (organizationId !== undefined && organization !== organizationId) return undefined;
  if (memberId !== undefined && member !== memberId) return undefined;
  return {
    ...(organization !== undefined && { organizationId: organization }),
    ...(member !== undefined && { memberId: member }),
  };
}
