import { sessionType } from '#logs';
import { readQuery } from '../../../admin/read-query.ts';
import { defineEndpoint } from '../../../endpoint.ts';
import { createNotFound } from '../../../not-found.ts';
import { sendJson } from '../../../send-json.ts';
import { OWN_QUERY, scopeToCaller } from '../../../usage/own-requests.ts';

export const ownSessionEndpoint = defineEndpoint({
  method: 'GET',
  path: '/v1/sessions/:id',
  summary:
    'What a session cost the calling key or session token, by agent, sub-agent and turn; also while it runs.',
  auth: 'caller',
  format: 'chat',
  query: OWN_QUERY,
  responses: { 200: { description: 'The tree of the session.', schema: sessionType.answer } },
  refusals: [400, 401, 403, 404, 500, 503],
  needs: ['sessions'],
  handle: async ({ params, query, caller, reply }, { sessions }) => {
    const own = scopeToCaller(caller, readQuery(query, OWN_QUERY)['of']);
    const tree = await sessions.find(params['id'] ?? '', own, own);
    if (!tree) throw createNotFound('session');
    sendJson(reply, sessionType.encode(tree));
  },
});
