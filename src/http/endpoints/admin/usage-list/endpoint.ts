import { Type } from 'typebox';
import type { UsageFilter, UsageGroup, UsageLine } from '#logs';
import type { JsonObject } from '#base';
import { formatUsd } from '#base';
import { USAGE_GROUPS } from '#logs';
import { type AdminRequest, defineAdminEndpoint } from '../../../admin/admin-endpoint.ts';
import { usdShape } from '../../../admin/fields.ts';
import { refuse } from '../../../admin/read-query.ts';
import { readTime } from '#accounts';

const GROUPS = Object.keys(USAGE_GROUPS) as UsageGroup[];

const lineShape = Type.Object({
  object: Type.Literal('usage'),
  group: Type.Record(Type.String(), Type.String()),
  requests: Type.Integer(),
  tokens: Type.Record(Type.String(), Type.Integer()),
  cost: usdShape,
  provider_cost: Type.Optional(usdShape),
});

export const listUsageEndpoint = defineAdminEndpoint({
  method: 'GET',
  path: '/admin/v1/usage',
  summary: 'Sums of requests, tokens and cost, as exact as the ledger.',
  task: 'logs:read',
  query: {
    by: `What to group by, separated by commas: ${GROUPS.join(', ')}; a single line by default.`,
    organization_id: 'Only requests of this organization.',
    project_id: 'Only requests of this project.',
    key_id: 'Only requests of this key.',
    model: 'Only requests that this model answered.',
    provider: 'Only requests that this provider answered.',
    since: 'Only requests that started in the hour of this time (ISO 8601) or later.',
    until: 'Only requests that started before the hour of this time.',
  },
  answer: {
    description: 'A line for each group.',
    schema: Type.Object({ object: Type.Literal('list'), data: Type.Array(lineShape) }),
  },
  needs: ['usage'],
  handle: async ({ caller: { organizationId: own }, query }, { usage }) => {
    const filter = readFilter(query);
    const wanted = query['organization_id'] ?? own;
    if (own !== undefined && wanted !== own) return { object: 'list', data: [] };
    const lines = await (wanted === undefined
      ? usage.listAsOperator(filter)
      : usage.list(filter, { organizationId: wanted }));
    return { object: 'list', data: lines.map((line) => encodeLine(line, own === undefined)) };
  },
});

function readFilter(query: AdminRequest['query']): UsageFilter {
  const { by, project_id: projectId, key_id: keyId, model, provider: providerId, since, until } = query;
  return {
    ...(by !== undefined && { by: by.split(',').map(readGroup) }),
    ...(projectId !== undefined && { projectId }),
    ...(keyId !== undefined && { keyId }),
    ...(model !== undefined && { model }),
    ...(providerId !== undefined && { providerId }),
    ...(since !== undefined && { since: readTime(since, 'since') }),
    ...(until !== undefined && { until: readTime(until, 'until') }),
  };
}

function readGroup(text: string): UsageGroup {
  const group = GROUPS.find((name) => name === text);
  if (group === undefined) throw refuse('by', `must be some of ${GROUPS.join(', ')}`);
  return group;
}

/** What providers charge is the operator's own affair. */
function encodeLine(
  { group, requests, usage, customer, provider }: UsageLine,
  isOperator: boolean,
): JsonObject {
  return {
    object: 'usage',
    group,
    requests,
    tokens: { ...usage },
    cost: formatUsd(BigInt(customer)),
    ...(isOperator && { provider_cost: formatUsd(BigInt(provider)) }),
  };
}
