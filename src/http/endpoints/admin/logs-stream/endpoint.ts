import type { AdminCaller } from '#accounts';
import { type LogRow, type RequestFilter, toTenants } from '#logs';
import { GatewayError } from '#errors';
import { allRequestFilters, checkSearch, encodeLog, logType } from '#logs';
import { openaiErrorSchema } from '#wire';
import { findTenant } from '../../../admin/find-tenant.ts';
import { describeFilters, readFilters } from '../../../admin/filters.ts';
import { describeStatus, readAdminQuery } from '../../../admin/admin-endpoint.ts';
import { type Query, refuse } from '../../../admin/read-query.ts';
import { identifyAdmin } from '../../../dashboard/identify-admin.ts';
import { type Call, defineEndpoint, type HttpPorts } from '../../../endpoint.ts';
import { EventStream } from './event-stream.ts';

const FILTERS = allRequestFilters();
const QUERY = {
  ...describeFilters(FILTERS),
  last: 'First the latest matching requests, up to this many: 0 to 100; none by default.',
  seconds: 'Ends after this many seconds, 0 to 86400; by default it does not end.',
};
const MOST_LAST = 100;
const MOST_SECONDS = 86_400;
const RETRY_AFTER_SECONDS = 10;

export const streamLogsEndpoint = defineEndpoint({
  method: 'GET',
  path: '/admin/v1/logs/stream',
  summary:
    'Requests as they end, as server-sent events `log`. Comments keep the connection open; `skipped` says that too many came at once. It ends as the gateway stops, the credential changes or the database is unavailable: connect again. Scope: `logs:read`.',
  auth: 'admin',
  isForMembers: true,
  format: 'chat',
  query: QUERY,
  responses: {
    200: {
      description: 'The data of each event `log`.',
      schema: logType.answer,
      contentType: 'text/event-stream',
    },
    ...Object.fromEntries(
      [400, 401, 403, 429, 500, 503].map((status) => [
        status,
        { description: describeStatus(status), schema: openaiErrorSchema },
      ]),
    ),
  },
  needs: ['accounts', 'checkOwnHost', 'clock', 'feed', 'isDraining', 'logStreams', 'logs'],
  handle: async (call, ports) => {
    const caller = call.admin;
    const query = readAdminQuery(call, { scope: 'logs:read', query: QUERY });
    const last = readWhole(query, 'last', MOST_LAST) ?? 0;
    const seconds = readWhole(query, 'seconds', MOST_SECONDS);
    const tenant = findTenant(caller, query);
    const filter = tenant && { ...readFilters(FILTERS, query, ports.clock.now()), ...tenant };
    if (filter?.search !== undefined) checkSearch(filter.search);
    if (ports.isDraining()) throw new GatewayError('shutting_down', 'the gateway is stopping; connect again');
    const release = ports.logStreams.take(caller);
    if (!release)
      throw new GatewayError(
        'too_many_readers',
        'too many streams of the log are open; close one, or poll the list',
        {
          retryAfterSeconds: RETRY_AFTER_SECONDS,
        },
      );
    try {
      await stream({ call, ports, filter, last, seconds });
    } finally {
      release();
    }
  },
});

interface Work {
  call: Call & { admin: AdminCaller };
  ports: Pick<HttpPorts, 'accounts' | 'checkOwnHost' | 'feed' | 'isDraining' | 'logs'>;
  /** Absent if the query names something the caller may not see: the stream is then empty. */
  filter: RequestFilter | undefined;
  last: number;
  seconds: number | undefined;
}

async function stream({ call, ports, filter, last, seconds }: Work): Promise<void> {
  const { admin } = call;
  const isOperator = admin.organizationId === undefined;
  const events = new EventStream(call.reply, {
    encode: (row: LogRow) => encodeLog(row, isOperator),
    isOver: async () => ports.isDraining() || !(await isStillSame(ports, call)),
  });
  // First, so that no row is between the latest and those that follow.
  const leave = filter && (await ports.feed.follow({ filter, ...events.reader }, toTenants(filter)));
  try {
    const latest =
      filter && last > 0 ? await ports.logs.list({ ...filter, limit: last }, toTenants(filter)) : [];
    await events.run(latest.toReversed(), seconds);
  } finally {
    leave?.();
  }
}

/** Whether the credential is still valid with the same rights: it may have been revoked, or its role changed. */
async function isStillSame(ports: Work['ports'], call: Work['call']): Promise<boolean> {
  const now = await identifyAdmin(ports, call).catch(() => undefined);
  const { scopes, organizationId, memberId } = call.admin;
  return (
    now !== undefined &&
    now.organizationId === organizationId &&
    now.memberId === memberId &&
    now.scopes.join() === scopes.join()
  );
}

function readWhole(query: Query, name: 'last' | 'seconds', most: number): number | undefined {
  const text = query[name];
  if (text === undefined) return undefined;
  const value = /^\d{1,6}$/.test(text) ? Number(text) : Infinity;
  if (value > most) throw refuse(name, `must be a whole number from 0 to ${most}`);
  return value;
}
