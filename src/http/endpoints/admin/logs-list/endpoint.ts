import { LOG_FINISHES, type LogFilter, type LogRow, type Logs } from '#logs';
import { type AdminRequest, defineAdminEndpoint } from '../../../admin/admin-endpoint.ts';
import { PAGE_QUERY, createListSchema, encodeList, readPage } from '../../../admin/list.ts';
import { encodeLog, logShape } from '../../../admin/log-shape.ts';
import { refuse } from '../../../admin/read-query.ts';
import { readTime } from '#accounts';

export const listLogsEndpoint = defineAdminEndpoint({
  method: 'GET',
  path: '/admin/v1/logs',
  summary: 'List requests and their outcomes, newest first.',
  task: 'logs:read',
  query: {
    organization_id: 'Only requests of this organization.',
    project_id: 'Only requests of this project.',
    key_id: 'Only requests of this key.',
    model: 'Only requests for this model, by its id or the name the client used.',
    finish_reason: `Only requests that ended so: ${LOG_FINISHES.join(', ')}.`,
    since: 'Only requests that started at this time (ISO 8601) or later.',
    ...PAGE_QUERY,
  },
  answer: { description: 'A page of requests.', schema: createListSchema(logShape) },
  needs: ['logs'],
  handle: async ({ caller, query }, { logs }) => {
    const page = readPage(query);
    const filter = {
      ...readFilter(query),
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

function readFilter(query: AdminRequest['query']): LogFilter {
  const { project_id: projectId, key_id: keyId, model, finish_reason: finish, since } = query;
  const finishReason = LOG_FINISHES.find((name) => name === finish);
  if (finish !== undefined && !finishReason)
    throw refuse('finish_reason', `must be one of ${LOG_FINISHES.join(', ')}`);
  return {
    ...(projectId !== undefined && { projectId }),
    ...(keyId !== undefined && { keyId }),
    ...(model !== undefined && { model }),
    ...(finishReason && { finishReason }),
    ...(since !== undefined && { since: readTime(since, 'since') }),
  };
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
