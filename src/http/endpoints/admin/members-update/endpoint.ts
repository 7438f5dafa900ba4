import { Type } from 'typebox';
import { defineAdminEndpoint } from '../../../admin/admin-endpoint.ts';
import { closed } from '../../../admin/fields.ts';
import {
  budgetFields,
  decodeBudget,
  encodeMember,
  memberShape,
  roleField,
} from '../../../admin/member-shape.ts';

export const updateMemberEndpoint = defineAdminEndpoint({
  method: 'POST',
  path: '/admin/v1/members/{id}',
  summary: 'Change the role or the budget of a member: all of what is named, or nothing.',
  task: 'accounts:write',
  body: closed({ role: Type.Optional(roleField), ...budgetFields }),
  answer: { description: 'The member as it is now.', schema: memberShape },
  handle: async ({ directory, id, body }) => {
    const before = await directory.getMember(id);
    if (body.role !== undefined) await directory.setMemberRole(id, body.role);
    if (body.limit === undefined && body.recurring_limit === undefined)
      return encodeMember(await directory.getMember(id));
    return encodeMember(await directory.setMemberBudget(id, decodeBudget(body, before)));
  },
});
