import { Type } from 'typebox';
import { defineAdminEndpoint } from '../../../admin/admin-endpoint.ts';
import { getListed } from '../../../admin/find-own.ts';

export const removeCustomModelEndpoint = defineAdminEndpoint({
  method: 'DELETE',
  path: '/admin/v1/custom_models/{id}',
  summary: 'Remove a model of an organization’s own.',
  task: 'accounts:write',
  answer: {
    description: 'It is gone.',
    schema: Type.Object({
      object: Type.Literal('custom_model'),
      id: Type.String(),
      deleted: Type.Literal(true),
    }),
  },
  handle: async ({ directory, id }) => {
    const found = getListed('custom model', await directory.listCustomModels({}), id);
    await directory.removeCustomModel({ ...found, model: found.name });
    return { object: 'custom_model', id, deleted: true };
  },
});
