import { defineAdminEndpoint } from '../../../admin/admin-endpoint.ts';
import { encodeMember, memberShape } from '../../../admin/member-shape.ts';

export const getMemberEndpoint = defineAdminEndpoint({
  method: 'GET',
  path: '/admin/v1/members/{id}',
  summary: 'A member with its budget and its use.',
  task: 'accounts:read',
  answer: { description: 'The member.', schema: memberShape },
  handle: async ({ directory, id }) => encodeMember(await directory.getMember(id)),
});
