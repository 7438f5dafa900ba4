import { Type } from 'typebox';
import { defineAdminEndpoint } from '../../../admin/admin-endpoint.ts';
import { closed, idField } from '../../../admin/fields.ts';
import { encodeProviderKey, providerKeyShape } from '../../../admin/byok-shape.ts';

export const setProviderKeyEndpoint = defineAdminEndpoint({
  method: 'POST',
  path: '/admin/v1/provider_keys',
  summary: 'Keep a key of an organization’s own for a provider of the catalogue, in place of an earlier one.',
  task: 'accounts:write',
  body: closed({
    organization_id: idField('the organization'),
    provider: Type.String({ description: 'the id of a provider, such as openai' }),
    api_key: Type.String({ description: 'the key; it is sealed, and never shown again' }),
  }),
  answer: { description: 'The key, never with its text.', schema: providerKeyShape },
  canMiss: true,
  needs: ['byokTerms'],
  handle: async ({ directory, body }, { byokTerms }) => {
    const { organization_id: organizationId, provider: providerId, api_key: apiKey } = body;
    return encodeProviderKey(
      await directory.setProviderKey({ organizationId, providerId, apiKey }, byokTerms()),
    );
  },
});
