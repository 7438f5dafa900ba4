import { type LogRow, type Logs, toTenants } from '#logs';
import type { AdminRequest } from './admin-endpoint.ts';
import { createNotFound } from '../not-found.ts';

/** The row of the request that a path names; throws `not_found` if the caller may not see it. */
export async function getLog(
  { caller, id }: Pick<AdminRequest, 'caller' | 'id'>,
  logs: Logs,
): Promise<LogRow> {
  const { memberId } = caller;
  const row = await logs.find(id, toTenants(caller));
  if (!row || (memberId !== undefined && row.memberId !== memberId)) throw createNotFound('request');
  return row;
}
