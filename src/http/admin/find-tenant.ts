import type { AdminCaller } from '#accounts';
import type { Query } from './read-query.ts';

/** Whose requests a report shows; absent: everyone's. */
interface ReportTenant {
  organizationId?: string;
  memberId?: string;
}

/**
 * The organization and member of the query, or else of the caller; undefined if the query names others than the caller's.
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
