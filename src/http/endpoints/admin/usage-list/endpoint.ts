import { Type } from 'typebox';
import type { UsageFilter } from '#logs';
import { MOST_TOP, USAGE_GROUPS_HELP, USUAL_TOP, encodeUsage, readUsageGroups } from '#logs';
import { type AdminRequest, defineAdminEndpoint } from '../../../admin/admin-endpoint.ts';
import { orNull, usdShape } from '../../../admin/fields.ts';
import { refuse } from '../../../admin/read-query.ts';
import { readTime } from '#accounts';

const lineShape = Type.Object({
  object: Type.Literal('usage'),
  group: Type.Record(Type.String(), Type.String()),
  other: Type.Boolean({ description: 'All groups beyond `top` together.' }),
  requests: Type.Integer(),
  tokens: Type.Record(Type.String(), Type.Integer(), { description: 'Disjoint parts.' }),
  input_tokens: Type.Integer(),
  cached_tokens: Type.Integer({ description: 'Of the input: read from the prompt cache.' }),
  cache_write_tokens: Type.Integer({ description: 'Of the input: written to the prompt cache.' }),
  output_tokens: Type.Integer(),
  reasoning_tokens: Type.Integer({ description: 'Of the output.' }),
  cost: usdShape,
  provider_cost: Type.Optional(usdShape),
});

export const listUsageEndpoint = defineAdminEndpoint({
  method: 'GET',
  path: '/admin/v1/usage',
  summary: 'Sums of requests, tokens and cost, as exact as the ledger.',
  task: 'logs:read',
  query: {
    by: `What to group by, separated by commas: ${USAGE_GROUPS_HELP}; a single line by default.`,
    top: `How many groups get a line, those that cost most; the others are one line. ${USUAL_TOP} by default, ${MOST_TOP} at most.`,
    organization_id: 'Only requests of this organization.',
    project_id: 'Only requests of this project.',
    key_id: 'Only requests of this key.',
    member_id: 'Only requests with a key of this member.',
    model: 'Only requests that this model answered.',
    provider: 'Only requests that this provider answered.',
    client_name: 'Only requests of this client.',
    session_id: 'Only requests of this session of a client.',
    agent_id: 'Only requests of this agent.',
    end_user_id: 'Only requests for this end user.',
    since: 'Only requests that started in the hour of this time (ISO 8601) or later.',
    until: 'Only requests that started before the hour of this time.',
  },
  answer: {
    description: 'A line for each group, and the total.',
    schema: Type.Object({
      object: Type.Literal('list'),
      data: Type.Array(lineShape),
      total: orNull(lineShape),
    }),
  },
  needs: ['usage'],
  handle: async ({ caller: { organizationId: own }, query }, { usage }) => {
    const filter = readFilter(query);
    const wanted = query['organization_id'] ?? own;
    if (own !== undefined && wanted !== own) return encodeUsage({ lines: [], total: undefined }, false);
    const report = await (wanted === undefined
      ? usage.reportAsOperator(filter)
      : usage.report(filter, { organizationId: wanted }));
    return encodeUsage(report, own === undefined);
  },
});

const TEXTS = {
  project_id: 'projectId',
  key_id: 'keyId',
  member_id: 'memberId',
  model: 'model',
  provider: 'providerId',
  client_name: 'clientName',
  session_id: 'sessionId',
  agent_id: 'agentId',
  end_user_id: 'endUserId',
} as const;

function readFilter(query: AdminRequest['query']): UsageFilter {
  const { by, top, since, until } = query;
  const filter: UsageFilter = {};
  for (const [param, name] of Object.entries(TEXTS)) {
    const value = query[param];
    if (value !== undefined) filter[name] = value;
  }
  if (by !== undefined) filter.by = readGroups(by);
  if (top !== undefined) filter.top = readTop(top);
  if (since !== undefined) filter.since = readTime(since, 'since');
  if (until !== undefined) filter.until = readTime(until, 'until');
  return filter;
}

function readGroups(text: string): NonNullable<UsageFilter['by']> {
  const groups = readUsageGroups(text);
  if (!groups) throw refuse('by', `must be some of ${USAGE_GROUPS_HELP}, each once`);
  return groups;
}

function readTop(text: string): number {
  const top = /^\d{1,5}$/.test(text) ? Number(text) : 0;
  if (top < 1 || top > MOST_TOP) throw refuse('top', `must be a whole number from 1 to ${MOST_TOP}`);
  return top;
}
