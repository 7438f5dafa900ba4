import { Type } from 'typebox';
import { defineAdminEndpoint } from '../../../admin/admin-endpoint.ts';

export const removeMemberEndpoint = defineAdminEndpoint({
  method: 'DELETE',
  path: '/admin/v1/members/{id}',
  summary: 'Remove a member; its API keys are disabled for good.',
  task: 'accounts:write',
  answer: {
    description: 'It is gone.',
    schema: Type.Object({
      object: Type.Literal('member'),
      id: Type.String(),
      deleted: Type.Literal(true),
      disabled_key_ids: Type.Array(Type.String()),
    }),
  },
  handle: async ({ directory, id }) => {
    const { disabledKeyIds } = await directory.removeMember(id);
    return { object: 'member', id, deleted: true, disabled_key_ids: disabledKeyIds };
  },
});
