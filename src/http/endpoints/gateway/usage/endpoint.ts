import { encodeUsage } from '#logs';
import { readQuery } from '../../../admin/read-query.ts';
import { defineEndpoint } from '../../../endpoint.ts';
import { sendJson } from '../../../send-json.ts';
import { OWN_QUERY, scopeToCaller } from '../../../usage/own-requests.ts';
import { USAGE_ANSWER, USAGE_QUERY, readUsageQuery } from '../../../usage/usage-report.ts';

const QUERY = { ...USAGE_QUERY, ...OWN_QUERY };

export const usageEndpoint = defineEndpoint({
  method: 'GET',
  path: '/v1/usage',
  summary: 'Sums of requests, tokens and cost of the calling key or session token, as exact as the ledger.',
  auth: 'caller',
  format: 'chat',
  query: QUERY,
  responses: { 200: USAGE_ANSWER },
  refusals: [400, 401, 403, 500, 503],
  needs: ['usage'],
  handle: async (call, { usage }) => {
    const query = readQuery(call.query, QUERY);
    const { organizationId, ...own } = scopeToCaller(call.caller, query['of']);
    const report = await usage.report({ ...readUsageQuery(query), ...own }, { organizationId });
    sendJson(call.reply, encodeUsage(report, false));
  },
});
