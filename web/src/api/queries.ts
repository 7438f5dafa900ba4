import { infiniteQueryOptions, keepPreviousData, queryOptions } from '@tanstack/react-query';
import { type SessionsSearch, SPANS } from '../sessions/session-search.ts';
import { type AnswerOf, call } from './client.ts';

export const SESSION_KEY = ['session'] as const;

export const sessionQuery = queryOptions({
  queryKey: SESSION_KEY,
  queryFn: () => call('get', '/admin/v1/session'),
});

/** What a report is about; the gateway narrows it to what a session may see. */
export interface ReportScope {
  organization_id?: string | undefined;
  project_id?: string | undefined;
  member_id?: string | undefined;
}

interface ReportOptions {
  by: string;
  since: string;
  scope?: ReportScope & { key_id?: string | undefined };
  refetchMs: number;
}

/** What was read before stays while a report is read anew, but only for the same groups: those of others would have no names. */
const keepSameGroups =
  (by: string) =>
  <Data>(old: Data | undefined, query?: { queryKey: readonly unknown[] }): Data | undefined =>
    query?.queryKey[1] === by ? old : undefined;

export const usageQuery = ({ by, since, scope = {}, refetchMs }: ReportOptions) =>
  queryOptions({
    queryKey: ['usage', by, since, scope],
    queryFn: () => call('get', '/admin/v1/usage', { query: { by, since, ...scope } }),
    refetchInterval: refetchMs,
    placeholderData: keepSameGroups(by),
  });

/** Percentiles of times, of all answers if `by` is empty. */
export const latencyQuery = ({ by, since, scope = {}, refetchMs }: ReportOptions) =>
  queryOptions({
    queryKey: ['latency', by, since, scope],
    queryFn: () => call('get', '/admin/v1/latency', { query: { by, since, ...scope } }),
    refetchInterval: refetchMs,
    placeholderData: keepSameGroups(by),
  });

export const holdsQuery = (scope: ReportScope, refetchMs: number) =>
  queryOptions({
    queryKey: ['holds', scope],
    queryFn: () => call('get', '/admin/v1/holds', { query: { ...scope } }),
    refetchInterval: refetchMs,
    placeholderData: keepPreviousData,
  });

const PAGE_BUDGETS = '20';
const BUDGETS_MS = 30_000;

/** Pages of budgets; all that are shown are read again from time to time. */
export const budgetsQuery = (scope: ReportScope) =>
  infiniteQueryOptions({
    queryKey: ['budgets', scope],
    queryFn: ({ pageParam }) =>
      call('get', '/admin/v1/budgets', { query: { ...scope, limit: PAGE_BUDGETS, after: pageParam } }),
    initialPageParam: undefined as string | undefined,
    getNextPageParam: ({ has_more: more, last_id: last }) => (more ? (last ?? undefined) : undefined),
    refetchInterval: BUDGETS_MS,
    placeholderData: keepPreviousData,
  });

const MOST = '100';

/** The latest request, whether there was one at all. */
export const latestQuery = (refetchMs: number) =>
  queryOptions({
    queryKey: ['logs', 'latest'],
    queryFn: () => call('get', '/admin/v1/logs', { query: { limit: '1' } }),
    refetchInterval: refetchMs,
  });

export const logQuery = (id: string) =>
  queryOptions({ queryKey: ['log', id], queryFn: () => call('get', '/admin/v1/logs/{id}', { id }) });

export const billQuery = (id: string) =>
  queryOptions({ queryKey: ['bill', id], queryFn: () => call('get', '/admin/v1/logs/{id}/bill', { id }) });

/** It is written after the answer, so that of a request that has just ended may be late. */
const LATE_MS = 10_000;

type EndedRequest = Pick<AnswerOf<'/admin/v1/logs/{id}', 'get'>, 'id' | 'started_at' | 'duration_ms'>;

export const payloadQuery = ({ id, started_at: start, duration_ms: took }: EndedRequest) =>
  queryOptions({
    queryKey: ['payload', id],
    queryFn: () => call('get', '/admin/v1/logs/{id}/payload', { id }),
    refetchInterval: ({ state }) =>
      state.data?.request === null && Date.now() - Date.parse(start) - took < LATE_MS ? 1_000 : false,
    staleTime: Infinity,
  });

export const keysQuery = queryOptions({
  queryKey: ['keys'],
  queryFn: () => call('get', '/admin/v1/keys', { query: { limit: MOST } }),
});

const HOUR_MS = 3_600_000;
const CALM_MS = 10_000;
const hoursAgo = (hours: number): string => new Date(Date.now() - hours * HOUR_MS).toISOString();

const PAGE_SESSIONS = 100;

/** Pages of sessions; all that are shown are read again from time to time. */
export const sessionsQuery = ({ span = 'day', ...search }: SessionsSearch) =>
  infiniteQueryOptions({
    queryKey: ['sessions', span, search],
    queryFn: ({ pageParam }) => {
      const { from, to } = SPANS[span];
      const times = { since: hoursAgo(from), ...(to > 0 && { until: hoursAgo(to) }) };
      const page = { limit: String(PAGE_SESSIONS), offset: String(pageParam) };
      return call('get', '/admin/v1/sessions', { query: { ...search, ...times, ...page } });
    },
    initialPageParam: 0,
    getNextPageParam: ({ has_more: more }, pages) =>
      more ? pages.reduce((count, { data }) => count + data.length, 0) : undefined,
    refetchInterval: CALM_MS,
    placeholderData: keepPreviousData,
  });

export const clientSessionQuery = (id: string, organizationId: string | undefined) =>
  queryOptions({
    queryKey: ['client-session', id, organizationId],
    queryFn: () => call('get', '/admin/v1/sessions/{id}', { id, query: { organization_id: organizationId } }),
    refetchInterval: CALM_MS,
  });

/** Providers of the gateway, for who operates it. */
export const providersQuery = queryOptions({
  queryKey: ['providers'],
  queryFn: () => call('get', '/admin/v1/providers'),
  refetchInterval: CALM_MS,
});
