import type { ReportCall } from '#fields';
import { toTenants } from '../rows/log-filter.ts';
import type { LogRow } from '../rows/log-row.ts';
import type { Logs } from '../rows/logs.ts';

/** The row of a request; undefined if the caller may not see it. */
export async function findRow({
  logs,
  id,
  input,
}: Pick<ReportCall<{ logs: Logs }>, 'logs' | 'id' | 'input'>): Promise<LogRow | undefined> {
  const { memberId } = input;
  const row = await logs.find(id, toTenants(input));
  return memberId === undefined || row?.memberId === memberId ? row : undefined;
}
