import { Type } from 'typebox';
import { LATENCY_GROUPS, type LatencyFilter, type LatencyGroup, encodeLatency, toTenants } from '#logs';
import { type AdminRequest, defineAdminEndpoint } from '../../../admin/admin-endpoint.ts';
import { orNull } from '../../../admin/fields.ts';
import { findTenant } from '../../../admin/find-tenant.ts';
import { refuse } from '../../../admin/read-query.ts';
import { ANSWERED, describeFilters, readFilterSince } from '../../../admin/request-filter.ts';

const USUAL_SPAN_MS = 86_400_000;
const GROUPS = LATENCY_GROUPS.join(', ');

const percentilesShape = orNull(
  Type.Object({
    requests: Type.Integer({ description: 'How many answers were measured; exact.' }),
    p50: Type.Number(),
    p95: Type.Number(),
    p99: Type.Number(),
  }),
  'Milliseconds, interpolated within buckets that are 9 % wide; null without answers.',
);

export const listLatencyEndpoint = defineAdminEndpoint({
  method: 'GET',
  path: '/admin/v1/latency',
  summary: 'Percentiles of the time to first token and of the duration of answers, over any period.',
  scope: 'logs:read',
  query: {
    by: `What to group by, separated by commas: ${GROUPS}; a single line by default.`,
    ...describeFilters('organization_id', 'project_id', 'member_id'),
    ...ANSWERED,
    since:
      'Only requests that started in the hour of this time (ISO 8601) or later; by default of the last day.',
    until: 'Only requests that started before this time; an hour that it divides counts as a whole.',
  },
  answer: {
    description: 'A line for each group, 1,000 at most: those with the most answers.',
    schema: Type.Object({
      object: Type.Literal('list'),
      data: Type.Array(
        Type.Object({
          object: Type.Literal('latency'),
          group: Type.Record(Type.String(), Type.String()),
          time_to_first_token: percentilesShape,
          duration: percentilesShape,
        }),
      ),
    }),
  },
  isForMembers: true,
  needs: ['clock', 'latency'],
  handle: async ({ caller, query }, { clock, latency }) => {
    const filter = readFilter(query, clock.now());
    const tenant = findTenant(caller, query);
    if (!tenant) return encodeLatency([]);
    return encodeLatency(await latency.list({ ...filter, ...tenant }, toTenants(tenant)));
  },
});

function readFilter(query: AdminRequest['query'], now: number): LatencyFilter {
  const { by } = query;
  return {
    ...readFilterSince(query, now - USUAL_SPAN_MS),
    ...(by !== undefined && { by: readGroups(by) }),
  };
}

function readGroups(text: string): LatencyGroup[] {
  const words = text.split(',').map((word) => word.trim());
  const groups = LATENCY_GROUPS.filter((name) => words.includes(name));
  if (groups.length !== words.length) throw refuse('by', `must be some of ${GROUPS}, each once`);
  return groups;
}
