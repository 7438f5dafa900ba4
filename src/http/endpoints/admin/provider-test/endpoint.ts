import { type Static, Type } from 'typebox';
import { defineAdminEndpoint } from '../../../admin/admin-endpoint.ts';
import { orNull } from '../../../admin/fields.ts';
import { requireAll } from '../../../admin/of-all.ts';

const text = Type.String();
const MOST_LETTERS = 200;
const name = (description: string) => Type.String({ minLength: 1, maxLength: MOST_LETTERS, description });

const schema = Type.Object(
  {
    provider_id: name('the id of a provider'),
    model: Type.Optional(name('a model of it; by default, the cheapest')),
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
          ok: Type.Boolean(),
          model: orNull(text),
          duration_ms: Type.Number(),
          status: orNull(Type.Integer()),
          message: orNull(text),
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
        provider_id: result.providerId,
        credential: result.credential ?? null,
        ok: result.ok,
        model: result.model ?? null,
        duration_ms: result.durationMs,
        status: result.status ?? null,
        message: result.message ?? null,
      })),
    };
  },
});
