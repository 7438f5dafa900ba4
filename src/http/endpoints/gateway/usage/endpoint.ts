import { OWN_USAGE_FILTERS, toTenants, usageReport } from '#logs';
import { readQuery } from '../../../admin/read-query.ts';
import { defineEndpoint } from '../../../endpoint.ts';
import { describeFilters, readFilters } from '../../../admin/filters.ts';
import { describeAnswer } from '../../../report-endpoints.ts';
import { sendJson } from '../../../send-json.ts';
import { OWN_QUERY, scopeToCaller } from '../../../usage/own-requests.ts';

const QUERY = { ...describeFilters(OWN_USAGE_FILTERS), ...OWN_QUERY };

export const usageEndpoint = defineEndpoint({
  method: 'GET',
  path: '/v1/usage',
  summary: 'Sums of requests, tokens and cost of the calling key or session token, as exact as the ledger.',
  auth: 'caller',
  format: 'chat',
  query: QUERY,
  responses: { 200: describeAnswer(usageReport) },
  refusals: [400, 401, 403, 500, 503],
  needs: ['clock', 'usage'],
  handle: async (call, { clock, usage }) => {
    const query = readQuery(call.query, QUERY);
    const input = readFilters(OWN_USAGE_FILTERS, query, clock.now());
    const own = scopeToCaller(call.caller, query['of']);
    const report = await usage.report({ ...input, ...own }, toTenants(own));
    sendJson(call.reply, usageReport.output.encode(report));
  },
});
