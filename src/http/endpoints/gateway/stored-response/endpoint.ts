import { createParamError } from '#errors';
import { CLIENT_FACTS } from '#wire';
import { defineEndpoint } from '../../../endpoint.ts';
import { createNoResponse } from '../../../not-found.ts';
import { sendJson } from '../../../send-json.ts';
import { readResponseId } from '../../../gateway/response-id.ts';

export const storedResponseEndpoint = defineEndpoint({
  method: 'GET',
  path: '/v1/responses/:id',
  aliases: ['/responses/:id'],
  summary: 'A stored response (`store`), for 30 days.',
  auth: 'regular',
  format: 'responses',
  responses: { 200: { description: 'The stored response.', schema: CLIENT_FACTS.responses.answerSchema } },
  refusals: [400, 401, 403, 404, 500, 503],
  needs: ['conversations'],
  handle: async ({ path, query, caller, reply }, { conversations }) => {
    if (query.get('stream') === 'true')
      throw createParamError('stream', 'a stored response is only returned whole', 'unsupported_feature');
    const id = readResponseId(path);
    const response = await conversations.find(id, caller);
    if (!response) throw createNoResponse(id);
    sendJson(reply, response);
  },
});
