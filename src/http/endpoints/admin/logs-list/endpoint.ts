import type { LogFilter, LogRow, Logs } from '#logs';
import { type AdminRequest, defineAdminEndpoint } from '../../../admin/admin-endpoint.ts';
import { PAGE_QUERY, createListSchema, encodeList, readPage } from '../../../admin/list.ts';
import { logShape } from '../../../admin/log-shape.ts';
import { encodeLog } from '#logs';
import { LOG_QUERY, readLogFilter } from '../../../admin/log-query.ts';
import { refuse } from '../../../admin/read-query.ts';

export const listLogsEndpoint = defineAdminEndpoint({
  method: 'GET',
  path: '/admin/v1/logs',
  summary: 'List requests and their outcomes, newest first.',
  task: 'logs:read',
  query: {
    ...LOG_QUERY,
    ...PAGE_QUERY,
  },
  answer: { description: 'A page of requests.', schema: createListSchema(logShape) },
  needs: ['logs'],
  handle: async ({ caller, query }, { logs }) => {
    const page = readPage(query);
    const filter = {
      ...readLogFilter(query),
      limit: page.limit,
      ...(await readPlace(logs, caller, query['after'])),
    };
    const rows = await listRows(logs, caller, { ...filter, organizationId: query['organization_id'] });
    return encodeList(
      page,
      rows.map((row) => encodeLog(row, caller.organizationId === undefined)),
    );
  },
});

type Caller = AdminRequest['caller'];

function listRows(
  logs: Logs,
  { organizationId: own }: Caller,
  { organizationId: wanted, ...filter }: LogFilter & { organizationId: string | undefined },
): Promise<LogRow[]> | LogRow[] {
  if (own === undefined)
    return logs.listAsOperator({ ...filter, ...(wanted !== undefined && { organizationId: wanted }) });
  return (wanted ?? own) === own ? logs.list(filter, { organizationId: own }) : [];
}

async function readPlace(
  logs: Logs,
  { organizationId }: Caller,
  after: string | undefined,
): Promise<LogFilter> {
  if (after === undefined) return {};
  const row = await (organizationId === undefined
    ? logs.findAsOperator(after)
    : logs.find(after, { organizationId }));
  if (!row) throw refuse('after', 'must be the `last_id` of a page');
  return { before: { startedAt: row.startedAt, requestId: row.requestId } };
}
