import type { JsonObject } from '#base';
import type { SessionFilter, SessionLine } from '#logs';
import { SESSION_ORDERS, encodeSessions } from '#logs';
import { Type } from 'typebox';
import { readPage } from '../admin/list.ts';
import { type Query, refuse } from '../admin/read-query.ts';
import { describeFilters, describeTime, readFilterSince } from '../admin/request-filter.ts';
import { sessionLineShape } from '../admin/session-shape.ts';

const USUAL_SPAN_MS = 86_400_000;
const MOST_OFFSET = 100_000;

export const SESSIONS_QUERY = {
  ...describeFilters('client_name', 'end_user_id'),
  ...describeTime('the last day'),
  sort: '`latest` (the default): those with the latest requests first; `cost`: the most expensive first.',
  limit: 'How many sessions, 1 to 100; 20 by default.',
  offset: 'How many of them to skip, 0 to 100000: those of the pages before.',
};

export const SESSIONS_ANSWER = {
  description: 'The sessions, with the sums of their requests since then.',
  schema: Type.Object({
    object: Type.Literal('list'),
    data: Type.Array(sessionLineShape),
    has_more: Type.Boolean(),
  }),
};

/** Asks for one session more than the page shows, to know whether more follow. */
export function readSessionsQuery(query: Query, now: number): SessionFilter {
  const { sort } = query;
  return {
    ...readFilterSince(query, now - USUAL_SPAN_MS),
    limit: readPage(query).limit,
    offset: readOffset(query['offset']),
    ...(sort !== undefined && { sort: readOrder(sort) }),
  };
}

export function encodeSessionsPage(
  lines: readonly SessionLine[],
  { limit }: SessionFilter,
  isOperator: boolean,
): JsonObject {
  const shown = lines.slice(0, limit - 1);
  return { ...encodeSessions(shown, isOperator), has_more: lines.length > shown.length };
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
