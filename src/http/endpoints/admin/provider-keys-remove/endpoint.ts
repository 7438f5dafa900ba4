import { Type } from 'typebox';
import { defineAdminEndpoint } from '../../../admin/admin-endpoint.ts';
import { getListed } from '../../../admin/find-own.ts';

export const removeProviderKeyEndpoint = defineAdminEndpoint({
  method: 'DELETE',
  path: '/admin/v1/provider_keys/{id}',
  summary: 'Remove a provider key.',
  task: 'accounts:write',
  answer: {
    description: 'It is gone.',
    schema: Type.Object({
      object: Type.Literal('provider_key'),
      id: Type.String(),
      deleted: Type.Literal(true),
    }),
  },
  handle: async ({ directory, id }) => {
    const found = getListed('provider key', await directory.listProviderKeys({}), id);
    await directory.removeProviderKey(found);
    return { object: 'provider_key', id, deleted: true };
  },
});
