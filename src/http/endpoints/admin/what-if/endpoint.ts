import { Type } from 'typebox';
import { askWhatIf, encodeWhatIf } from '#advice';
import { toSnakeCase } from '#base';
import { BILL_OWNERS, toTenants } from '#logs';
import { defineAdminEndpoint } from '../../../admin/admin-endpoint.ts';
import { findTenant } from '../../../admin/find-tenant.ts';
import { orNull, usdShape } from '../../../admin/fields.ts';
import { refuse } from '../../../admin/read-query.ts';
import { ANSWERED, describeFilters, describeTime, readFilterSince } from '../../../admin/request-filter.ts';

const USUAL_SPAN_MS = 30 * 86_400_000;

const countShape = { requests: Type.Integer(), actual_cost: usdShape };

export const whatIfEndpoint = defineAdminEndpoint({
  method: 'GET',
  path: '/admin/v1/what_if',
  summary: 'What the same usage would have cost if another model had answered.',
  scope: 'logs:read',
  query: {
    model: 'The other model, or `provider/model`; required.',
    ...describeFilters(...BILL_OWNERS.map(toSnakeCase)),
    from_model: ANSWERED.model,
    ...describeTime('the last 30 days'),
  },
  answer: {
    description: 'A line for each provider of the model, the cheapest first, and the assumptions.',
    schema: Type.Object({
      object: Type.Literal('what_if'),
      data: Type.Array(
        Type.Object({
          object: Type.Literal('what_if_line'),
          model_id: Type.String(),
          provider_id: Type.String(),
          ...countShape,
          cost: Type.Unsafe<string>({ ...usdShape, description: 'What these requests would have cost.' }),
          left_out: Type.Array(
            Type.Object(
              { reason: Type.String(), ...countShape },
              { description: 'Requests that are not compared.' },
            ),
          ),
        }),
      ),
      sources: Type.Array(
        Type.Object({ model_id: orNull(Type.String()), provider_id: orNull(Type.String()), ...countShape }),
        { description: 'What answered.' },
      ),
      assumptions: Type.Array(Type.String()),
    }),
  },
  needs: ['bills', 'catalogue', 'clock'],
  handle: async ({ caller, query }, { bills, catalogue, clock }) => {
    const { model, from_model: from } = query;
    if (model === undefined || model === '') throw refuse('model', 'is required');
    const tenant = findTenant(caller, query);
    // No request of another organization is visible: the answer is that of an organization without any.
    const now = clock.now();
    const filter = {
      ...readFilterSince({ ...query, model: from }, now - USUAL_SPAN_MS),
      ...(!tenant && { since: Infinity }),
    };
    const ports = { bills, catalogue: catalogue(), now };
    const tenants = toTenants(tenant ?? caller);
    return encodeWhatIf(await askWhatIf(ports, { model, filter, tenants }));
  },
});
