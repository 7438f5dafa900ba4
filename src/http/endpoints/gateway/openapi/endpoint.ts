import { defineEndpoint } from '../../../endpoint.ts';
import { sendJson } from '../../../send-json.ts';

export const openapiEndpoint = defineEndpoint({
  method: 'GET',
  path: '/openapi.json',
  summary: 'This description.',
  auth: 'none',
  format: 'chat',
  responses: { 200: { description: 'An OpenAPI 3.1 document.' } },
  needs: ['openapi'],
  handle: async (call, { openapi }) =>
    sendJson(call.reply, openapi(), { 'cache-control': 'public, max-age=300' }),
});
