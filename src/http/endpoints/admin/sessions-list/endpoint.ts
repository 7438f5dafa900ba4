import { Type } from 'typebox';
import type { SessionFilter, SessionLine, Sessions } from '#logs';
import { SESSION_ORDERS, encodeSessions } from '#logs';
import { readTime } from '#accounts';
import { type AdminRequest, defineAdminEndpoint } from '../../../admin/admin-endpoint.ts';
import { findTenant } from '../../../admin/find-tenant.ts';
import { readPage } from '../../../admin/list.ts';
import { refuse } from '../../../admin/read-query.ts';
import { sessionLineShape } from '../../../admin/session-shape.ts';

const USUAL_SPAN_MS = 86_400_000;
const MOST_OFFSET = 100_000;

export const listSessionsEndpoint = defineAdminEndpoint({
  method: 'GET',
  path: '/admin/v1/sessions',
  summary: 'List sessions of clients, those with the latest requests or the highest cost first.',
  task: 'logs:read',
  query: {
    organization_id: 'Only sessions of this organization.',
    project_id: 'Only requests of this project.',
    key_id: 'Only requests of this key.',
    member_id: 'Only requests with a key of this member.',
    client_name: 'Only requests of this client, such as claude-code.',
    end_user_id: 'Only requests for this end user.',
    since: 'Only requests that started at this time (ISO 8601) or later; by default of the last day.',
    until: 'Only requests that started before this time.',
    sort: '`latest` (the default): those with the latest requests first; `cost`: the most expensive first.',
    limit: 'How many sessions, 1 to 100; 20 by default.',
    offset: 'How many of them to leave out, 0 to 100000: those of the pages before.',
  },
  answer: {
    description: 'The sessions, with the sums of their requests since then.',
    schema: Type.Object({
      object: Type.Literal('list'),
      data: Type.Array(sessionLineShape),
      has_more: Type.Boolean(),
    }),
  },
  isForMembers: true,
  needs: ['sessions', 'clock'],
  handle: async ({ caller, query }, { sessions, clock }) => {
    const filter = readFilter(query, clock.now());
    const tenant = findTenant(caller, query);
    const lines = tenant ? await list(sessions, { ...filter, ...tenant }) : [];
    const shown = lines.slice(0, filter.limit - 1);
    return {
      ...encodeSessions(shown, caller.organizationId === undefined),
      has_more: lines.length > shown.length,
    };
  },
});

function list(
  sessions: Sessions,
  { organizationId, ...filter }: SessionFilter & { organizationId?: string },
): Promise<SessionLine[]> {
  return organizationId === undefined
    ? sessions.listAsOperator(filter)
    : sessions.list(filter, { organizationId });
}

const TEXTS = {
  project_id: 'projectId',
  key_id: 'keyId',
  member_id: 'memberId',
  client_name: 'clientName',
  end_user_id: 'endUserId',
} as const;

function readFilter(query: AdminRequest['query'], now: number): SessionFilter {
  const { since, until, sort } = query;
  const filter: SessionFilter = {
    since: since === undefined ? now - USUAL_SPAN_MS : readTime(since, 'since'),
    limit: readPage(query).limit,
    offset: readOffset(query['offset']),
    ...(until !== undefined && { until: readTime(until, 'until') }),
    ...(sort !== undefined && { sort: readOrder(sort) }),
  };
  for (const [param, name] of Object.entries(TEXTS)) {
    const value = query[param];
    if (value !== undefined) filter[name] = value;
  }
  return filter;
}

function readOffset(text = '0'): number {
  const offset = /^\d{1,6}$/.test(text) ? Number(text) : Infinity;
  if (offset > MOST_OFFSET) throw refuse('offset', `must be a whole number from 0 to ${MOST_OFFSET}`);
  return offset;
}

function readOrder(text: string): (typeof SESSION_ORDERS)[number] {
  const known = SESSION_ORDERS.find((order) => order === text);
  if (!known) throw refuse('sort', `must be one of ${SESSION_ORDERS.join(', ')}`);
  return known;
}
