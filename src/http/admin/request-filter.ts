import type { LogFilter } from '#logs';
import { readTime } from '#accounts';
import { type Query, refuse } from './read-query.ts';

/** Parameters that select requests, and what each sets in the filters of logs, usage and reports. */
const MEMBERS = {
  project_id: 'projectId',
  key_id: 'keyId',
  member_id: 'memberId',
  session_token_id: 'sessionTokenId',
  model: 'model',
  provider: 'providerId',
  provider_id: 'providerId',
  client_name: 'clientName',
  session_id: 'sessionId',
  agent_id: 'agentId',
  parent_agent_id: 'parentAgentId',
  run_id: 'runId',
  turn_id: 'turnId',
  end_user_id: 'endUserId',
  tag: 'tag',
  user_agent: 'userAgent',
  search: 'search',
} as const satisfies Record<string, keyof LogFilter>;

type RequestFilter = Pick<LogFilter, (typeof MEMBERS)[keyof typeof MEMBERS] | 'since' | 'until'>;

/** The requests that a query selects. Endpoints name the parameters that they take; others were refused before. */
export function readRequestFilter(query: Query): RequestFilter {
  const { since, until } = query;
  const filter: RequestFilter = {};
  for (const [param, name] of Object.entries(MEMBERS)) {
    const value = query[param];
    if (value !== undefined) filter[name] = value;
  }
  if (since !== undefined) filter.since = readTime(since, 'since');
  if (until !== undefined) filter.until = readTime(until, 'until');
  if (filter.since !== undefined && filter.until !== undefined && filter.since > filter.until)
    throw refuse('since', 'must not be after until');
  return filter;
}

/** The same, for a time that starts at `usualStart` unless the query sets another start. */
export function readFilterSince(query: Query, usualStart: number): RequestFilter & { since: number } {
  const filter = { since: usualStart, ...readRequestFilter(query) };
  if (filter.until !== undefined && filter.since > filter.until)
    throw refuse('since', 'is missing, and its default is after until');
  return filter;
}
