import type { Caller } from '#accounts';
import type { Tenant, UsageFilter } from '#logs';
import { encodeUsage } from '#logs';
import { openaiErrorSchema } from '#wire';
import { readQuery, refuse } from '../../../admin/read-query.ts';
import { defineEndpoint } from '../../../endpoint.ts';
import { describeRefusals } from '../../../refusals.ts';
import { sendJson } from '../../../send-json.ts';
import { USAGE_ANSWER, USAGE_QUERY, readUsageQuery } from '../../../usage/usage-report.ts';

const QUERY = {
  ...USAGE_QUERY,
  of: '`key`, the default: requests with this key, or with this session token; `member`: with all keys of the key’s member.',
};

export const usageEndpoint = defineEndpoint({
  method: 'GET',
  path: '/v1/usage',
  summary: 'Sums of requests, tokens and cost of the calling key or session token, as exact as the ledger.',
  auth: 'caller',
  format: 'chat',
  query: QUERY,
  responses: {
    200: USAGE_ANSWER,
    ...describeRefusals(openaiErrorSchema, [400, 401, 403, 500, 503]),
  },
  needs: ['usage'],
  handle: async (call, { usage }) => {
    const query = readQuery(call.query, QUERY);
    const { organizationId, ...own } = chooseOwn(call.caller, query['of']);
    const report = await usage.report({ ...readUsageQuery(query), ...own }, { organizationId });
    sendJson(call.reply, encodeUsage(report, false), { 'cache-control': 'private, no-store' });
  },
});

/** A session token sees the requests that were made with it. The end user of a row is no proof: a key may name anyone. */
function chooseOwn(caller: Caller, of = 'key'): Tenant & UsageFilter {
  const { organizationId, keyId, memberId, sessionTokenId } = caller;
  if (of === 'key') return { organizationId, keyId, ...(sessionTokenId !== undefined && { sessionTokenId }) };
  if (of !== 'member') throw refuse('of', 'must be key or member');
  if (memberId === undefined || sessionTokenId !== undefined)
    throw refuse('of', 'must be key: the credential is not the key of a member');
  return { organizationId, memberId };
}
