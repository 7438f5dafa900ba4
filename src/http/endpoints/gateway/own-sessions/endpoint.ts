import { OWN_SESSION_FILTERS, readSessions, sessionsReport } from '#logs';
import { readQuery } from '../../../admin/read-query.ts';
import { defineEndpoint } from '../../../endpoint.ts';
import { describeFilters, readFilters } from '../../../admin/filters.ts';
import { describeAnswer } from '../../../report-endpoints.ts';
import { sendJson } from '../../../send-json.ts';
import { OWN_QUERY, scopeToCaller } from '../../../usage/own-requests.ts';

const QUERY = { ...describeFilters(OWN_SESSION_FILTERS), ...OWN_QUERY };

export const ownSessionsEndpoint = defineEndpoint({
  method: 'GET',
  path: '/v1/sessions',
  summary:
    'Sessions of clients that used the calling key or session token, the latest or most expensive first.',
  auth: 'caller',
  format: 'chat',
  query: QUERY,
  responses: { 200: describeAnswer(sessionsReport) },
  refusals: [400, 401, 403, 500, 503],
  needs: ['clock', 'sessions'],
  handle: async (call, { clock, sessions }) => {
    const query = readQuery(call.query, QUERY);
    const input = readFilters(OWN_SESSION_FILTERS, query, clock.now());
    const own = scopeToCaller(call.caller, query['of']);
    const found = await readSessions({ sessions, input: { ...input, ...own } });
    sendJson(call.reply, sessionsReport.output.encode(found));
  },
});
