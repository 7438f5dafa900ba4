import type { LogRow, Logs } from '#logs';
import type { AdminRequest } from './admin-endpoint.ts';
import { GatewayError } from '#errors';

/** The row of the request that a path names; throws `not_found` if the caller may not see it. */
export async function getLog(
  { caller: { organizationId, memberId }, id }: Pick<AdminRequest, 'caller' | 'id'>,
  logs: Logs,
): Promise<LogRow> {
  const row = await (organizationId === undefined
    ? logs.findAsOperator(id)
    : logs.find(id, { organizationId }));
  if (!row || (memberId !== undefined && row.memberId !== memberId))
    throw new GatewayError('not_found', 'there is no such request', { param: 'id' });
  return row;
}
