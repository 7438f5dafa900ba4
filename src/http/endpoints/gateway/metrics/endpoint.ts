import { hasScope } from '#accounts';
import { GatewayError } from '#errors';
import { openaiErrorSchema } from '#wire';
import { requireAll } from '../../../admin/of-all.ts';
import { defineEndpoint } from '../../../endpoint.ts';

/** For admin keys of all organizations: the metrics are those of the whole gateway. */
export const metricsEndpoint = defineEndpoint({
  method: 'GET',
  path: '/metrics',
  summary:
    'The metrics in the Prometheus format, where the configuration has `metrics: { adminKey: true }`. Scope: `logs:read`.',
  auth: 'admin',
  format: 'chat',
  responses: {
    200: { description: 'The metrics.', contentType: 'text/plain' },
    401: { description: 'The admin key is missing, unknown or disabled.', schema: openaiErrorSchema },
    403: {
      description: 'Not an admin key, one without the scope, or one of a single organization.',
      schema: openaiErrorSchema,
    },
    404: { description: 'The metrics are not served here.', schema: openaiErrorSchema },
    500: { description: 'A fault of the gateway.', schema: openaiErrorSchema },
    503: { description: 'The database is unavailable.', schema: openaiErrorSchema },
  },
  needs: ['metrics'],
  handle: async (call, { metrics }) => {
    if (!hasScope(call.admin.scopes, 'logs:read'))
      throw new GatewayError('missing_scope', 'this admin key lacks the scope logs:read');
    requireAll(call.admin, 'the metrics are those of all');
    const found = metrics();
    if (!found)
      throw new GatewayError(
        'not_found',
        'the metrics are not served here; set `metrics: { adminKey: true }` in sluice.yaml and restart',
      );
    const headers = { 'content-type': found.contentType, 'cache-control': 'no-store' };
    call.reply.send(200, headers, await found.print());
  },
});
