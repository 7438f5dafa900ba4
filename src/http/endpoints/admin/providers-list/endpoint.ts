import { Type } from 'typebox';
import { type JsonObject, encodeMembers } from '#base';
import type { ProviderState } from '../../../operations.ts';
import { defineAdminEndpoint } from '../../../admin/admin-endpoint.ts';
import { orNull } from '../../../admin/fields.ts';
import { requireAll } from '../../../admin/of-all.ts';

const text = Type.String();
const time = Type.Number();

const healthShape = Type.Object({
  model: Type.String({ description: 'As the provider names it.' }),
  credential: orNull(text, 'Null if the provider has only one.'),
  state: Type.String({
    description:
      '`healthy`; `due`: one request may try it; `poor`: only where nothing better is left; `closed`: not called.',
  }),
  called: Type.Boolean({ description: 'Whether calls have shown anything of it.' }),
  failed_share: Type.Number({ description: 'Of the latest calls, which weigh most; 0 to 1.' }),
  paused_ms: time,
  first_event_ms: orNull(time, 'A mean of the latest streams.'),
  whole_ms: orNull(time, 'A mean of the latest answers that are not streams.'),
  ms_per_token: orNull(time, 'A mean of the latest streams.'),
});

export const listProvidersEndpoint = defineAdminEndpoint({
  method: 'GET',
  path: '/admin/v1/providers',
  summary: 'Providers of the catalogue and the configuration, and what this gateway has learned of each.',
  scope: 'operations:read',
  answer: {
    description: 'Every provider, also those without a key.',
    schema: Type.Object({
      object: Type.Literal('list'),
      data: Type.Array(
        Type.Object({
          object: Type.Literal('provider'),
          id: text,
          name: text,
          format: text,
          base_url: orNull(text),
          credential: orNull(text, 'The source of its key; never the key.'),
          credentials: Type.Array(text, { description: 'Their names, if it has several.' }),
          live: Type.Boolean({ description: 'Whether it can be called.' }),
          models: Type.Integer(),
          health: Type.Array(healthShape, { description: 'Of the models that were called at it.' }),
        }),
      ),
    }),
  },
  needs: ['operations'],
  handle: async ({ caller }, { operations }) => {
    requireAll(caller, 'providers are those of the gateway');
    return { object: 'list', data: (await operations.providers()).map(encodeProvider) };
  },
});

function encodeProvider(provider: ProviderState): JsonObject {
  return {
    object: 'provider',
    ...encodeMembers(provider, ['id', 'name', 'format', 'baseUrl', 'credential']),
    ...encodeMembers(provider, ['credentials', 'live', 'models']),
    health: provider.mappings.map((mapping) => ({
      ...encodeMembers(mapping, ['model', 'credential', 'state', 'called', 'failedShare']),
      ...encodeMembers(mapping, ['pausedMs', 'firstEventMs', 'wholeMs', 'msPerToken']),
    })),
  };
}
