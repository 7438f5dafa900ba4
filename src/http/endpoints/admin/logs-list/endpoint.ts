import { type LogFilter, type Logs, encodeLog, toTenants } from '#logs';
import { type AdminRequest, defineAdminEndpoint } from '../../../admin/admin-endpoint.ts';
import { findTenant } from '../../../admin/find-tenant.ts';
import { PAGE_QUERY, createListSchema, encodeList, readPage } from '../../../admin/list.ts';
import { logShape } from '../../../admin/log-shape.ts';
import { FILTER_QUERY, describeTime, readRequestFilter } from '../../../admin/request-filter.ts';
import { refuse } from '../../../admin/read-query.ts';

export const listLogsEndpoint = defineAdminEndpoint({
  method: 'GET',
  path: '/admin/v1/logs',
  summary: 'List requests and their outcomes, newest first.',
  scope: 'logs:read',
  query: {
    ...FILTER_QUERY,
    ...describeTime(),
    ...PAGE_QUERY,
  },
  answer: { description: 'A page of requests.', schema: createListSchema(logShape) },
  isForMembers: true,
  needs: ['logs'],
  handle: async ({ caller, query }, { logs }) => {
    const page = readPage(query);
    const tenant = findTenant(caller, query);
    const filter = {
      ...readRequestFilter(query),
      limit: page.limit,
      ...(await readPlace(logs, caller, query['after'])),
      ...tenant,
    };
    const rows = tenant ? await logs.list(filter, toTenants(tenant)) : [];
    return encodeList(
      page,
      rows.map((row) => encodeLog(row, caller.organizationId === undefined)),
    );
  },
});

type Caller = AdminRequest['caller'];

async function readPlace(logs: Logs, caller: Caller, after: string | undefined): Promise<LogFilter> {
  if (after === undefined) return {};
  const { memberId } = caller;
  const row = await logs.find(after, toTenants(caller));
  if (!row || (memberId !== undefined && row.memberId !== memberId))
    throw refuse('after', 'must be the `last_id` of a page');
  return { before: { startedAt: row.startedAt, requestId: row.requestId } };
}
