import { type Static, Type } from 'typebox';
import { encodeMembers } from '#base';
import { defineAdminEndpoint } from '../../../admin/admin-endpoint.ts';
import { orNull } from '../../../admin/fields.ts';
import { requireAll } from '../../../admin/of-all.ts';
import { encodeProviderTest, nameField, providerTestShape } from '../../../admin/provider-test-shape.ts';

const text = Type.String();

const schema = Type.Object(
  {
    provider_id: nameField('the id of a provider'),
    model: Type.Optional(nameField('a model of it; by default, the cheapest')),
  },
  { additionalProperties: false },
);

export const testProviderEndpoint = defineAdminEndpoint({
  method: 'POST',
  path: '/admin/v1/provider_tests',
  summary:
    'Send the smallest request to a provider with each of its credentials. It costs a few tokens there and is charged to no account.',
  scope: 'operations:write',
  changesNothing: true,
  body: Type.Unsafe<Static<typeof schema>>(schema),
  answer: {
    description: 'A result for each credential; `message` names the problem.',
    schema: Type.Object({
      object: Type.Literal('list'),
      data: Type.Array(
        Type.Object({
          object: Type.Literal('provider_test'),
          provider_id: text,
          credential: orNull(text),
          ...providerTestShape,
        }),
      ),
    }),
  },
  needs: ['operations'],
  handle: async ({ caller, body }, { operations }) => {
    requireAll(caller, 'providers are those of the gateway');
    const results = await operations.test(body.provider_id, body.model);
    return {
      object: 'list',
      data: results.map((result) => ({
        object: 'provider_test',
        ...encodeMembers(result, ['providerId', 'credential']),
        ...encodeProviderTest(result),
      })),
    };
  },
});
