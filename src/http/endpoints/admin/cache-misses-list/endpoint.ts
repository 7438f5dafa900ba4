import { Type } from 'typebox';
import { MISS_CODES, encodeMisses, toTenants } from '#logs';
import { defineAdminEndpoint } from '../../../admin/admin-endpoint.ts';
import { findTenant } from '../../../admin/find-tenant.ts';
import { usdShape } from '../../../admin/fields.ts';
import { describeFilters, describeTime, readFilterSince } from '../../../admin/request-filter.ts';

const USUAL_SPAN_MS = 7 * 86_400_000;

const savedShape = Type.String({
  description:
    'USD: what the same tokens would have cost uncached, less what they cost; negative if it was a loss.',
});

const sums = {
  requests: Type.Integer(),
  tokens: Type.Integer({ description: 'What could have been read from the prompt cache and was not.' }),
  cost: usdShape,
};

export const listCacheMissesEndpoint = defineAdminEndpoint({
  method: 'GET',
  path: '/admin/v1/cache_misses',
  summary:
    'Sum up what missed prompt caches cost, by project and reason, and what cache marks saved that were set.',
  scope: 'logs:read',
  query: {
    ...describeFilters('organization_id', 'project_id'),
    ...describeTime('the last seven days'),
  },
  answer: {
    description: 'The sums, the most expensive first, and their total.',
    schema: Type.Object({
      object: Type.Literal('list'),
      data: Type.Array(
        Type.Object({
          object: Type.Literal('cache_misses'),
          organization_id: Type.String(),
          project_id: Type.String(),
          reason: Type.Enum([...MISS_CODES], { description: 'The first reason of each request.' }),
          ...sums,
          request_ids: Type.Array(Type.String(), { description: 'The most expensive of them.' }),
        }),
      ),
      total: Type.Object(sums),
      marks: Type.Array(
        Type.Object({
          object: Type.Literal('cache_marks'),
          organization_id: Type.String(),
          project_id: Type.String(),
          requests: Type.Integer({ description: 'Requests in which the gateway set cache marks.' }),
          saved: savedShape,
        }),
        { description: 'Of projects with `cache_marks`.' },
      ),
      saved: savedShape,
    }),
  },
  needs: ['cacheMisses', 'clock'],
  handle: async ({ caller, query }, { cacheMisses, clock }) => {
    const tenant = findTenant(caller, query);
    if (!tenant) return encodeMisses({ misses: [], marks: [] });
    const filter = readFilterSince(query, clock.now() - USUAL_SPAN_MS);
    return encodeMisses(await cacheMisses.list(filter, toTenants(tenant)));
  },
});
