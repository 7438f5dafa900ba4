import { encodeUsage, toTenants } from '#logs';
import { defineAdminEndpoint } from '../../../admin/admin-endpoint.ts';
import { findTenant } from '../../../admin/find-tenant.ts';
import { ANSWERED, describeFilters } from '../../../admin/request-filter.ts';
import { USAGE_ANSWER, USAGE_QUERY, readUsageQuery } from '../../../usage/usage-report.ts';

export const listUsageEndpoint = defineAdminEndpoint({
  method: 'GET',
  path: '/admin/v1/usage',
  summary: 'Sums of requests, tokens and cost, as exact as the ledger.',
  scope: 'logs:read',
  query: {
    by: USAGE_QUERY.by,
    top: USAGE_QUERY.top,
    ...describeFilters('organization_id', 'project_id', 'key_id', 'member_id'),
    ...ANSWERED,
    client_name: 'Only requests of this client.',
    ...describeFilters('session_id', 'agent_id', 'end_user_id'),
    since: USAGE_QUERY.since,
    until: USAGE_QUERY.until,
  },
  answer: USAGE_ANSWER,
  isForMembers: true,
  needs: ['usage'],
  handle: async ({ caller, query }, { usage }) => {
    const tenant = findTenant(caller, query);
    const filter = { ...readUsageQuery(query), ...tenant };
    if (!tenant) return encodeUsage({ lines: [], total: undefined }, false);
    const report = await usage.report(filter, toTenants(tenant));
    return encodeUsage(report, caller.organizationId === undefined);
  },
});
