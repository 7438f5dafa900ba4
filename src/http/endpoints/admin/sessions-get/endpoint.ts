import { encodeSession, toTenants } from '#logs';
import { defineAdminEndpoint } from '../../../admin/admin-endpoint.ts';
import { findTenant } from '../../../admin/find-tenant.ts';
import { sessionShape } from '../../../admin/session-shape.ts';
import { createNotFound } from '../../../not-found.ts';

export const getSessionEndpoint = defineAdminEndpoint({
  method: 'GET',
  path: '/admin/v1/sessions/{id}',
  summary: 'What a session of a client cost, by agent, sub-agent and turn; also while it runs.',
  scope: 'logs:read',
  query: { organization_id: 'The organization, if several have a session of this id.' },
  answer: { description: 'The tree of the session.', schema: sessionShape },
  isForMembers: true,
  needs: ['sessions'],
  handle: async ({ caller, id, query }, { sessions }) => {
    const tenant = findTenant(caller, query);
    const tree = tenant && (await sessions.find(id, toTenants(tenant), tenant));
    if (!tree) throw createNotFound('session');
    return encodeSession(tree, caller.organizationId === undefined);
  },
});
