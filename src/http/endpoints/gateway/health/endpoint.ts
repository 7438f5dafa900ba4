import type { CheckResult } from '../../../health-probe.ts';
import { Type } from 'typebox';
import { defineEndpoint } from '../../../endpoint.ts';

const checkSchema = Type.Object({ connected: Type.Boolean(), error: Type.Optional(Type.String()) });

const healthSchema = Type.Object({
  message: Type.String(),
  version: Type.String(),
  health: Type.Object({ status: Type.String(), redis: checkSchema, database: checkSchema }),
});

const SKIPPED: CheckResult = { connected: true };

export const healthEndpoint = defineEndpoint({
  method: 'GET',
  path: '/',
  summary: 'Health of the gateway and its stores.',
  auth: 'none',
  format: 'chat',
  query: { skip: 'Comma-separated checks to skip: `redis`, `database`.' },
  responses: {
    200: { description: 'All is well.', schema: healthSchema },
    503: {
      description: 'A store is unavailable, or charges cannot be recorded.',
      schema: healthSchema,
    },
  },
  needs: ['health', 'version'],
  handle: async (call, { health, version }) => {
    const skip = new Set((call.query.get('skip') ?? '').split(',').map((item) => item.trim()));
    const [redis, database, ledger] = await Promise.all([
      skip.has('redis') ? SKIPPED : health.redis(),
      skip.has('database') ? SKIPPED : health.database(),
      skip.has('database') ? SKIPPED : health.ledger(),
    ]);
    const down = [
      !redis.connected && 'redis',
      !database.connected && 'database',
      database.connected && !ledger.connected && 'ledger',
    ].filter((name) => name !== false);
    const isHealthy = down.length === 0;
    const body = {
      message: isHealthy ? 'OK' : `down: ${down.join(', ')}`,
      version,
      health: { status: isHealthy ? 'ok' : 'error', redis, database },
    };
    const headers = { 'content-type': 'application/json', 'cache-control': 'no-store' };
    call.reply.send(isHealthy ? 200 : 503, headers, JSON.stringify(body));
  },
});
