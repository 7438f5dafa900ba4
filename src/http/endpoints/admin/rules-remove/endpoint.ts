import { Type } from 'typebox';
import { defineAdminEndpoint } from '../../../admin/admin-endpoint.ts';

export const removeRuleEndpoint = defineAdminEndpoint({
  method: 'DELETE',
  path: '/admin/v1/rules/{id}',
  summary: 'Remove an access rule.',
  task: 'accounts:write',
  answer: {
    description: 'It is gone.',
    schema: Type.Object({ object: Type.Literal('rule'), id: Type.String(), deleted: Type.Literal(true) }),
  },
  handle: async ({ directory, id }) => {
    await directory.removeRule(id);
    return { object: 'rule', id, deleted: true };
  },
});
