import { Type } from 'typebox';
import { defineAdminEndpoint } from '../../../admin/admin-endpoint.ts';

export const deleteKeyEndpoint = defineAdminEndpoint({
  method: 'DELETE',
  path: '/admin/v1/keys/{id}',
  summary: 'Delete an API key for good; what it used stays in the books.',
  task: 'accounts:write',
  answer: {
    description: 'It is gone.',
    schema: Type.Object({ object: Type.Literal('key'), id: Type.String(), deleted: Type.Literal(true) }),
  },
  handle: async ({ directory, id }) => {
    await directory.deleteKey(id);
    return { object: 'key', id, deleted: true };
  },
});
