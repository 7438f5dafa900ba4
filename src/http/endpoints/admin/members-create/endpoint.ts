import { Type } from 'typebox';
import { defineAdminEndpoint } from '../../../admin/admin-endpoint.ts';
import { closed, idField, nameField } from '../../../admin/fields.ts';
import {
  budgetFields,
  decodeBudget,
  encodeMember,
  memberShape,
  roleField,
} from '../../../admin/member-shape.ts';

const NO_BUDGET = { limit: null, recurringLimit: null };

export const createMemberEndpoint = defineAdminEndpoint({
  method: 'POST',
  path: '/admin/v1/members',
  summary: 'Add a member to an organization.',
  task: 'accounts:write',
  body: closed({
    organization_id: idField('its organization'),
    name: nameField,
    email: Type.Optional(Type.String({ description: 'an e-mail address' })),
    role: roleField,
    ...budgetFields,
  }),
  answer: { description: 'The member.', schema: memberShape },
  canMiss: true,
  handle: async ({ directory, body }) => {
    const { organization_id: organizationId, name, email, role } = body;
    const budget = decodeBudget(body, NO_BUDGET);
    return encodeMember(
      await directory.addMember({
        organizationId,
        name,
        role,
        budget,
        ...(email !== undefined && { email }),
      }),
    );
  },
});
