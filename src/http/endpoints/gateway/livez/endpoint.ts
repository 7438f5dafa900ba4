import { Type } from 'typebox';
import { defineEndpoint } from '../../../endpoint.ts';
import { sendJson } from '../../../send-json.ts';

export const livezEndpoint = defineEndpoint({
  method: 'GET',
  path: '/livez',
  summary: 'Liveness of the process.',
  auth: 'none',
  format: 'chat',
  responses: { 200: { description: 'Alive.', schema: Type.Object({ status: Type.Literal('ok') }) } },
  needs: [],
  handle: async (call) => sendJson(call.reply, { status: 'ok' }, { 'cache-control': 'no-store' }),
});
