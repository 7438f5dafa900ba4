import { toTenants } from '#logs';
import { defineAdminEndpoint } from '../../../admin/admin-endpoint.ts';
import { findTenant } from '../../../admin/find-tenant.ts';
import { describeFilters } from '../../../admin/request-filter.ts';
import {
  SESSIONS_ANSWER,
  SESSIONS_QUERY,
  encodeSessionsPage,
  readSessionsQuery,
} from '../../../usage/session-list.ts';

export const listSessionsEndpoint = defineAdminEndpoint({
  method: 'GET',
  path: '/admin/v1/sessions',
  summary: 'List sessions of clients, those with the latest requests or the highest cost first.',
  scope: 'logs:read',
  query: {
    organization_id: 'Only sessions of this organization.',
    ...describeFilters('project_id', 'key_id', 'member_id'),
    ...SESSIONS_QUERY,
  },
  answer: SESSIONS_ANSWER,
  isForMembers: true,
  needs: ['sessions', 'clock'],
  handle: async ({ caller, query }, { sessions, clock }) => {
    const filter = readSessionsQuery(query, clock.now());
    const tenant = findTenant(caller, query);
    const lines = tenant ? await sessions.list({ ...filter, ...tenant }, toTenants(tenant)) : [];
    return encodeSessionsPage(lines, filter, caller.organizationId === undefined);
  },
});
