import { Type } from 'typebox';
import { defineAdminEndpoint } from '../../../admin/admin-endpoint.ts';
import { closed } from '../../../admin/fields.ts';
import { getListed } from '../../../admin/find-own.ts';
import { customProviderShape, encodeCustomProvider } from '../../../admin/byok-shape.ts';

export const updateCustomProviderEndpoint = defineAdminEndpoint({
  method: 'POST',
  path: '/admin/v1/custom_providers/{id}',
  summary: 'Change the key, or the address and the key, of a provider of an organization’s own.',
  task: 'accounts:write',
  body: closed({
    base_url: Type.Optional(Type.String({ description: 'an https address; it needs the key again' })),
    api_key: Type.Optional(Type.String({ description: 'the new key' })),
  }),
  answer: { description: 'The provider as it is now.', schema: customProviderShape },
  needs: ['byokTerms'],
  handle: async ({ directory, id, body }, { byokTerms }) => {
    const { organizationId, name } = getListed(
      'custom provider',
      await directory.listCustomProviders({}),
      id,
    );
    const { base_url: baseUrl, api_key: apiKey } = body;
    const change = { ...(baseUrl !== undefined && { baseUrl }), ...(apiKey !== undefined && { apiKey }) };
    return encodeCustomProvider(
      await directory.changeCustomProvider({ organizationId, name, ...change }, byokTerms()),
    );
  },
});
