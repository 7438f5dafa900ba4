import { encodeList } from '#fields';
import type { JsonObject } from '#base';
import { Type } from 'typebox';
import { createParamError } from '#errors';
import { listInputItems } from '#wire';
import { createPageSchema, describeCursorQuery, readCursorPage } from '../../../gateway/cursor-page.ts';
import { defineEndpoint } from '../../../endpoint.ts';
import { createNoResponse } from '../../../not-found.ts';
import { sendJson } from '../../../send-json.ts';

const itemSchema = Type.Object(
  { id: Type.String(), type: Type.Optional(Type.String()) },
  {
    title: 'InputItem',
    additionalProperties: true,
    description: 'An item as the request sent it or an earlier answer returned it, with an id.',
  },
);

export const inputItemsEndpoint = defineEndpoint({
  method: 'GET',
  path: '/v1/responses/:id/input_items',
  aliases: ['/responses/:id/input_items'],
  summary: 'The input of a stored response, with the conversation that it continued.',
  auth: 'regular',
  format: 'responses',
  query: describeCursorQuery('item', 'the latest first'),
  responses: { 200: { description: 'The page.', schema: createPageSchema(itemSchema) } },
  refusals: [400, 401, 403, 404, 500, 503],
  needs: ['conversations'],
  handle: async ({ params: { id = '' }, query, caller, reply }, { conversations }) => {
    const { limit, order, after } = readCursorPage(query);
    const stored = await conversations.listInput(id, caller);
    if (!stored) throw createNoResponse(id);
    const items = listInputItems(stored);
    const ordered = order === 'asc' ? items : items.toReversed();
    const found = ordered.slice(findStart(ordered, after));
    sendJson(reply, encodeList(found, limit));
  },
});

function findStart(items: readonly JsonObject[], after: string | null): number {
  if (after === null) return 0;
  const at = items.findIndex(({ id }) => id === after);
  if (at !== -1) return at + 1;
  throw createParamError('after', 'must be the id of an item of this list');
}
