import type { LogFilter } from '#logs';
import { LOG_FINISHES } from '#logs';
import { type Query, refuse } from './read-query.ts';
import { readRequestFilter } from './request-filter.ts';

/** What a list of requests can be filtered by. */
export const LOG_QUERY = {
  organization_id: 'Only requests of this organization.',
  project_id: 'Only requests of this project.',
  key_id: 'Only requests of this key.',
  member_id: 'Only requests with a key of this member.',
  session_token_id: 'Only requests with this session token.',
  model: 'Only requests for this model, by its id or the name the client used.',
  provider_id: 'Only requests that this provider answered.',
  error_code: 'Only requests that ended with this error, such as key_limit_reached.',
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

export function readLogFilter(query: Query): LogFilter {
  const { finish_reason: finish, error_code: errorCode } = query;
  return {
    ...readRequestFilter(query),
    ...(errorCode !== undefined && { errorCode }),
    ...(finish !== undefined && { finishReason: readFinish(finish) }),
  };
}

function readFinish(text: string): (typeof LOG_FINISHES)[number] {
  const finish = LOG_FINISHES.find((name) => name === text);
  if (!finish) throw refuse('finish_reason', `must be one of ${LOG_FINISHES.join(', ')}`);
  return finish;
}
