import type { LogFilter } from '#logs';
import { readTime } from '#accounts';
import { LOG_FINISHES } from '#logs';
import { type Query, refuse } from './read-query.ts';

/** What a list of requests can be filtered by. */
export const LOG_QUERY = {
  organization_id: 'Only requests of this organization.',
  project_id: 'Only requests of this project.',
  key_id: 'Only requests of this key.',
  member_id: 'Only requests with a key of this member.',
  session_token_id: 'Only requests with this session token.',
  model: 'Only requests for this model, by its id or the name the client used.',
  provider_id: 'Only requests that this provider answered.',
  finish_reason: `Only requests that ended so: ${LOG_FINISHES.join(', ')}.`,
  client_name: 'Only requests of this client, such as claude-code.',
  session_id: 'Only requests of this session of a client.',
  agent_id: 'Only requests of this agent.',
  parent_agent_id: 'Only requests of agents that this agent started.',
  run_id: 'Only requests of this run.',
  turn_id: 'Only requests of this turn.',
  end_user_id: 'Only requests for this end user.',
  tag: 'Only requests with this tag: `key`, or `key=value`.',
  user_agent: 'Only requests whose user agent begins so.',
  search:
    'Only requests with this text in an error, the user agent, the model’s name or an id of client or provider.',
  since: 'Only requests that started at this time (ISO 8601) or later.',
  until: 'Only requests that started before this time.',
};

const TEXTS = {
  project_id: 'projectId',
  key_id: 'keyId',
  member_id: 'memberId',
  session_token_id: 'sessionTokenId',
  model: 'model',
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
} as const satisfies Partial<Record<keyof typeof LOG_QUERY, keyof LogFilter>>;

export function readLogFilter(query: Query): LogFilter {
  const { finish_reason: finish, since, until } = query;
  const filter: LogFilter = {};
  for (const [param, name] of Object.entries(TEXTS)) {
    const value = query[param];
    if (value !== undefined) filter[name] = value;
  }
  if (finish !== undefined) filter.finishReason = readFinish(finish);
  if (since !== undefined) filter.since = readTime(since, 'since');
  if (until !== undefined) filter.until = readTime(until, 'until');
  return filter;
}

function readFinish(text: string): (typeof LOG_FINISHES)[number] {
  const finish = LOG_FINISHES.find((name) => name === text);
  if (!finish) throw refuse('finish_reason', `must be one of ${LOG_FINISHES.join(', ')}`);
  return finish;
}
