import { Type } from 'typebox';
import { CUSTOM_FORMATS } from '#accounts';
import { defineAdminEndpoint } from '../../../admin/admin-endpoint.ts';
import { closed, idField, wordField } from '../../../admin/fields.ts';
import { customProviderShape, encodeCustomProvider } from '../../../admin/byok-shape.ts';

export const createCustomProviderEndpoint = defineAdminEndpoint({
  method: 'POST',
  path: '/admin/v1/custom_providers',
  summary: 'Add a provider of an organization’s own; its address must be public.',
  task: 'accounts:write',
  body: closed({
    organization_id: idField('the organization'),
    name: Type.String({ description: 'a name such as acme; its models are called as acme/model' }),
    format: wordField(CUSTOM_FORMATS),
    base_url: Type.String({ description: 'an https address such as https://llm.example.com/v1' }),
    api_key: Type.String({ description: 'the key; it is sealed, and never shown again' }),
  }),
  answer: { description: 'The provider.', schema: customProviderShape },
  canMiss: true,
  needs: ['byokTerms'],
  handle: async ({ directory, body }, { byokTerms }) => {
    const { organization_id: organizationId, name, format, base_url: baseUrl, api_key: apiKey } = body;
    const input = { organizationId, name, format, baseUrl, apiKey };
    return encodeCustomProvider(await directory.addCustomProvider(input, byokTerms()));
  },
});
