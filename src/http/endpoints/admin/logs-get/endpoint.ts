import { GatewayError } from '#errors';
import { defineAdminEndpoint } from '../../../admin/admin-endpoint.ts';
import { encodeLog } from '#logs';
import { logShape } from '../../../admin/log-shape.ts';

export const getLogEndpoint = defineAdminEndpoint({
  method: 'GET',
  path: '/admin/v1/logs/{id}',
  summary: 'A request by its id, which every answer carries as `x-request-id`.',
  task: 'logs:read',
  answer: { description: 'The outcome of the request.', schema: logShape },
  isForMembers: true,
  needs: ['logs'],
  handle: async ({ caller: { organizationId, memberId }, id }, { logs }) => {
    const isOperator = organizationId === undefined;
    const row = await (isOperator ? logs.findAsOperator(id) : logs.find(id, { organizationId }));
    if (!row || (memberId !== undefined && row.memberId !== memberId))
      throw new GatewayError('not_found', 'there is no such request', { param: 'id' });
    return encodeLog(row, isOperator);
  },
});
