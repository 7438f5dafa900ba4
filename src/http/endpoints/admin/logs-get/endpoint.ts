import { defineAdminEndpoint } from '../../../admin/admin-endpoint.ts';
import { getLog } from '../../../admin/get-log.ts';
import { encodeLog } from '#logs';
import { logShape } from '../../../admin/log-shape.ts';

export const getLogEndpoint = defineAdminEndpoint({
  method: 'GET',
  path: '/admin/v1/logs/{id}',
  summary: 'A request by its id, which every answer carries as `x-request-id`.',
  scope: 'logs:read',
  answer: { description: 'The outcome of the request.', schema: logShape },
  isForMembers: true,
  needs: ['logs'],
  handle: async (request, { logs }) =>
    encodeLog(await getLog(request, logs), request.caller.organizationId === undefined),
});
