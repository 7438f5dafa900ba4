import { readQuery } from '../../../admin/read-query.ts';
import { defineEndpoint } from '../../../endpoint.ts';
import { sendJson } from '../../../send-json.ts';
import { OWN_QUERY, scopeToCaller } from '../../../usage/own-requests.ts';
import {
  SESSIONS_ANSWER,
  SESSIONS_QUERY,
  encodeSessionsPage,
  readSessionsQuery,
} from '../../../usage/session-list.ts';

const QUERY = { ...SESSIONS_QUERY, ...OWN_QUERY };

export const ownSessionsEndpoint = defineEndpoint({
  method: 'GET',
  path: '/v1/sessions',
  summary:
    'Sessions of clients that used the calling key or session token, the latest or most expensive first.',
  auth: 'caller',
  format: 'chat',
  query: QUERY,
  responses: { 200: SESSIONS_ANSWER },
  refusals: [400, 401, 403, 500, 503],
  needs: ['sessions', 'clock'],
  handle: async (call, { sessions, clock }) => {
    const query = readQuery(call.query, QUERY);
    const { organizationId, ...own } = scopeToCaller(call.caller, query['of']);
    const filter = { ...readSessionsQuery(query, clock.now()), ...own };
    const lines = await sessions.list(filter, { organizationId });
    sendJson(call.reply, encodeSessionsPage(lines, filter, false));
  },
});
