import { Type } from 'typebox';
import { permitRole } from '#pipeline';
import { defineEndpoint } from '../../../endpoint.ts';
import { createNoResponse } from '../../../not-found.ts';
import { sendJson } from '../../../send-json.ts';
import { readResponseId } from '../../../gateway/response-id.ts';

const deletionSchema = Type.Object({
  id: Type.String(),
  object: Type.Literal('response'),
  deleted: Type.Literal(true),
});

export const deleteResponseEndpoint = defineEndpoint({
  method: 'DELETE',
  path: '/v1/responses/:id',
  aliases: ['/responses/:id'],
  summary: 'Delete a stored response; responses that continue from it can no longer be continued.',
  auth: 'regular',
  format: 'responses',
  responses: { 200: { description: 'It is gone.', schema: deletionSchema } },
  refusals: [401, 403, 404, 500, 503],
  needs: ['conversations'],
  handle: async ({ path, caller, reply }, { conversations }) => {
    permitRole(caller, 'call');
    const id = readResponseId(path);
    const isDeleted = await conversations.delete(id, caller);
    if (!isDeleted) throw createNoResponse(id);
    sendJson(reply, { id, object: 'response', deleted: true });
  },
});
