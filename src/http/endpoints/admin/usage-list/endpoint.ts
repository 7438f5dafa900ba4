import { encodeUsage, toTenants } from '#logs';
import { defineAdminEndpoint } from '../../../admin/admin-endpoint.ts';
import { findTenant } from '../../../admin/find-tenant.ts';
import { USAGE_ANSWER, USAGE_QUERY, readUsageQuery } from '../../../usage/usage-report.ts';

export const listUsageEndpoint = defineAdminEndpoint({
  method: 'GET',
  path: '/admin/v1/usage',
  summary: 'Sums of requests, tokens and cost, as exact as the ledger.',
  scope: 'logs:read',
  query: {
    by: USAGE_QUERY.by,
    top: USAGE_QUERY.top,
    organization_id: 'Only requests of this organization.',
    project_id: 'Only requests of this project.',
    key_id: 'Only requests of this key.',
    member_id: 'Only requests with a key of this member.',
    model: 'Only requests that this model answered.',
    provider: 'Only requests that this provider answered.',
    client_name: 'Only requests of this client.',
    session_id: 'Only requests of this session of a client.',
    agent_id: 'Only requests of this agent.',
    end_user_id: 'Only requests for this end user.',
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
