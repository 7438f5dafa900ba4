import { Type } from 'typebox';
import { defineAdminEndpoint } from '../../../admin/admin-endpoint.ts';
import { getListed } from '../../../admin/find-own.ts';

export const removeCustomProviderEndpoint = defineAdminEndpoint({
  method: 'DELETE',
  path: '/admin/v1/custom_providers/{id}',
  summary: 'Remove a provider of an organization’s own, with its models.',
  task: 'accounts:write',
  answer: {
    description: 'It is gone.',
    schema: Type.Object({
      object: Type.Literal('custom_provider'),
      id: Type.String(),
      deleted: Type.Literal(true),
    }),
  },
  handle: async ({ directory, id }) => {
    const found = getListed('custom provider', await directory.listCustomProviders({}), id);
    await directory.removeCustomProvider(found);
    return { object: 'custom_provider', id, deleted: true };
  },
});
