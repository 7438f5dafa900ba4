import { Type } from 'typebox';
import { encodeExperiments, toTenants } from '#logs';
import { defineAdminEndpoint } from '../../../admin/admin-endpoint.ts';
import { orNull, usdShape } from '../../../admin/fields.ts';
import { findTenant } from '../../../admin/find-tenant.ts';
import { describeFilters, describeTime, readFilterSince } from '../../../admin/request-filter.ts';

const USUAL_SPAN_MS = 7 * 86_400_000;

const msShape = orNull(Type.Number());

export const listExperimentsEndpoint = defineAdminEndpoint({
  method: 'GET',
  path: '/admin/v1/experiments',
  summary: 'Compare the variants of experiments, and the copies of mirrors with their originals.',
  scope: 'logs:read',
  query: {
    ...describeFilters('organization_id'),
    project_id:
      'Only requests of this project; of mirrors, where the copy or its original is of this project.',
    ...describeTime('the last seven days'),
  },
  answer: {
    description: 'The variants, by experiment or mirror.',
    schema: Type.Object({
      object: Type.Literal('list'),
      data: Type.Array(
        Type.Object({
          object: Type.Literal('experiment_variant'),
          experiment: Type.String({ description: 'Its name; `mirror/NAME` for a mirror.' }),
          variant: Type.String({
            description: 'Its name, `control` for the control group; `copy` or `original` of a mirror.',
          }),
          requests: Type.Integer(),
          answered: Type.Integer({ description: 'Of these, with an answer.' }),
          calls: Type.Integer({ description: 'Calls of providers.' }),
          first_event_ms: Type.Unsafe<number | null>({
            ...msShape,
            description: 'The median; null without streams.',
          }),
          first_event_p95_ms: msShape,
          duration_ms: Type.Unsafe<number | null>({ ...msShape, description: 'The median.' }),
          duration_p95_ms: msShape,
          input_tokens: Type.Integer(),
          output_tokens: Type.Integer(),
          customer_cost: usdShape,
          provider_cost: Type.Optional(usdShape),
        }),
      ),
    }),
  },
  needs: ['experiments', 'clock'],
  handle: async ({ caller, query }, { experiments, clock }) => {
    const filter = readFilterSince(query, clock.now() - USUAL_SPAN_MS);
    const tenant = findTenant(caller, query);
    if (!tenant) return { object: 'list', data: [] };
    const lines = await experiments.list(filter, toTenants(tenant));
    return { object: 'list', data: encodeExperiments(lines, caller.organizationId === undefined) };
  },
});
