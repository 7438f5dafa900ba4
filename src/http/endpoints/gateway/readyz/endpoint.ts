import { Type } from 'typebox';
import { defineEndpoint } from '../../../endpoint.ts';

const readySchema = Type.Object({ status: Type.String() });

export const readyzEndpoint = defineEndpoint({
  method: 'GET',
  path: '/readyz',
  summary: 'Whether new requests are welcome: the database answers and the gateway is not stopping.',
  auth: 'none',
  format: 'chat',
  responses: {
    200: { description: 'Ready.', schema: readySchema },
    503: { description: 'Not ready.', schema: readySchema },
  },
  needs: ['health', 'isDraining'],
  handle: async (call, { health, isDraining }) => {
    const database = await health.database();
    const status = isDraining() ? 'draining' : database.connected ? 'ok' : 'database down';
    const headers = { 'content-type': 'application/json', 'cache-control': 'no-store' };
    call.reply.send(status === 'ok' ? 200 : 503, headers, JSON.stringify({ status }));
  },
});
