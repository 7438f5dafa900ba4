import { type Static, Type } from 'typebox';
import { defineAdminEndpoint } from '../../../admin/admin-endpoint.ts';
import { encodeProviderTest, nameField, providerTestShape } from '../../../admin/provider-test-shape.ts';
import { createNotFound } from '../../../not-found.ts';

const schema = Type.Object(
  {
    provider: nameField(
      'the id of a provider the organization has a key for, or the name of a custom provider',
    ),
    model: Type.Optional(nameField('a model of it; by default, the cheapest')),
  },
  { additionalProperties: false },
);

export const testOwnProviderEndpoint = defineAdminEndpoint({
  method: 'POST',
  path: '/admin/v1/organizations/{id}/provider_tests',
  summary:
    'Send the smallest request with an organization’s own provider key, or to its custom provider. It costs a few tokens there.',
  scope: 'accounts:write',
  changesNothing: true,
  body: Type.Unsafe<Static<typeof schema>>(schema),
  answer: {
    description: 'Whether the provider answered; `message` names the problem.',
    schema: Type.Object({
      object: Type.Literal('provider_test'),
      provider: Type.String(),
      ...providerTestShape,
    }),
  },
  needs: ['operations', 'accounts'],
  handle: async ({ caller, id, body }, { operations, accounts }) => {
    if (caller.organizationId !== undefined && caller.organizationId !== id)
      throw createNotFound('organization');
    await accounts.directory.getOrganization(id);
    const { provider: providerId, model } = body;
    const wanted = { organizationId: id, providerId, ...(model !== undefined && { model }) };
    const result = await operations.testOwn(wanted);
    return {
      object: 'provider_test',
      provider: result.providerId,
      ...encodeProviderTest(result),
    };
  },
});
