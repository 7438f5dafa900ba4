import { defineAdminEndpoint } from '../../../admin/admin-endpoint.ts';
import { createListSchema, encodeList } from '../../../admin/list.ts';
import { encodeMember, memberShape } from '../../../admin/member-shape.ts';

export const listMembersEndpoint = defineAdminEndpoint({
  method: 'GET',
  path: '/admin/v1/members',
  summary: 'List members, oldest first.',
  task: 'accounts:read',
  query: { organization_id: 'Only members of this organization.' },
  answer: { description: 'All members that are not removed.', schema: createListSchema(memberShape) },
  handle: async ({ directory, query }) => {
    const { organization_id: organizationId } = query;
    const members = await directory.listMembers({ ...(organizationId !== undefined && { organizationId }) });
    return encodeList({ limit: members.length + 1 }, members.map(encodeMember));
  },
});
