import { Type } from 'typebox';
import { defineAdminEndpoint } from '../../../admin/admin-endpoint.ts';
import { findTenant } from '../../../admin/find-tenant.ts';
import { refuse } from '../../../admin/read-query.ts';

const MOST = 100;

export const listNamesEndpoint = defineAdminEndpoint({
  method: 'GET',
  path: '/admin/v1/names',
  summary: 'List the names of keys, projects, members and organizations by their ids, also of removed ones.',
  scope: 'accounts:read',
  query: {
    ids: `1 to ${MOST} ids, separated by commas. Those that do not exist are left out.`,
    organization_id: 'Only of this organization.',
  },
  answer: {
    description: 'The names.',
    schema: Type.Object({
      object: Type.Literal('list'),
      data: Type.Array(
        Type.Object({
          id: Type.String(),
          name: Type.String(),
          removed: Type.Boolean({ description: 'Whether it was removed or deleted.' }),
        }),
      ),
    }),
  },
  isForMembers: true,
  needs: ['accounts'],
  handle: async ({ caller, query }, { accounts }) => {
    const ids = (query['ids'] ?? '').split(',').filter((id) => id !== '');
    if (ids.length === 0 || ids.length > MOST)
      throw refuse('ids', `must be 1 to ${MOST} ids, separated by commas`);
    const tenant = findTenant(caller, query);
    const names = tenant ? await accounts.directory.listNames({ ids, ...tenant }) : [];
    return { object: 'list', data: names.map(({ id, name, removed }) => ({ id, name, removed })) };
  },
});
