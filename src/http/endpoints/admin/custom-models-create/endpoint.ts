import { Type } from 'typebox';
import { defineAdminEndpoint } from '../../../admin/admin-endpoint.ts';
import { amountField, closed, idField } from '../../../admin/fields.ts';
import { customModelShape, encodeCustomModel } from '../../../admin/byok-shape.ts';

const part = Type.Optional(amountField);
const tokens = (what: string) =>
  Type.Integer({ minimum: 1, description: `a whole number of tokens: ${what}` });

export const createCustomModelEndpoint = defineAdminEndpoint({
  method: 'POST',
  path: '/admin/v1/custom_models',
  summary: 'Add a model to a provider of an organization’s own, with its price in USD per million tokens.',
  task: 'accounts:write',
  body: closed({
    organization_id: idField('the organization'),
    provider: Type.String({ description: 'the name of a provider of its own' }),
    name: Type.String({ description: 'the name it is called by, behind its provider’s' }),
    external_id: Type.Optional(Type.String({ description: 'the provider’s name for it' })),
    context_length: tokens('what it reads at most'),
    max_output: tokens('what it writes at most'),
    price: Type.Optional(
      closed({
        input: amountField,
        output: amountField,
        cache_read: part,
        cache_write_5m: part,
        cache_write_1h: part,
      }),
    ),
  }),
  answer: { description: 'The model.', schema: customModelShape },
  canMiss: true,
  needs: ['byokTerms'],
  handle: async ({ directory, body }, { byokTerms }) => {
    const { organization_id: organizationId, provider, name, external_id: externalId, price } = body;
    const model = {
      name,
      contextLength: body.context_length,
      maxOutput: body.max_output,
      ...(externalId !== undefined && { externalId }),
      ...(price && {
        price: {
          input: price.input,
          output: price.output,
          ...(price.cache_read !== undefined && { cacheRead: price.cache_read }),
          ...(price.cache_write_5m !== undefined && { cacheWrite5m: price.cache_write_5m }),
          ...(price.cache_write_1h !== undefined && { cacheWrite1h: price.cache_write_1h }),
        },
      }),
    };
    return encodeCustomModel(
      await directory.addCustomModel({ organizationId, provider, model }, byokTerms()),
    );
  },
});
