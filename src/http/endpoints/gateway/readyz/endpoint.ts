import { Type } from 'typebox';
import type { CheckResult } from '../../../health-probe.ts';
import { defineEndpoint } from '../../../endpoint.ts';

const readySchema = Type.Object({ status: Type.String() });

export const readyzEndpoint = defineEndpoint({
  method: 'GET',
  path: '/readyz',
  summary: 'Readiness: the database responds, charges can be recorded, and the gateway is not stopping.',
  auth: 'none',
  format: 'chat',
  responses: {
    200: { description: 'Ready.', schema: readySchema },
    503: { description: 'Not ready.', schema: readySchema },
  },
  needs: ['health', 'isDraining'],
  handle: async (call, { health, isDraining }) => {
    const [database, ledger] = await Promise.all([health.database(), health.ledger()]);
    const status = describe({ isDraining: isDraining(), database, ledger });
    const headers = { 'content-type': 'application/json', 'cache-control': 'no-store' };
    call.reply.send(status === 'ok' ? 200 : 503, headers, JSON.stringify({ status }));
  },
});

function describe(state: { isDraining: boolean; database: CheckResult; ledger: CheckResult }): string {
  if (state.isDraining) return 'draining';
  if (!state.database.connected) return 'database down';
  return state.ledger.connected ? 'ok' : 'ledger down';
}
