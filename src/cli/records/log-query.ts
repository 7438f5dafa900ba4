import type { LogFilter, LogRow } from '#app';
import type { CommonOptions } from '../terminal/command.ts';

/** The options of `sluice logs`. */
export interface LogsOptions extends CommonOptions {
  follow?: boolean;
  request?: string;
  payload?: boolean;
  model?: string;
  finish?: string;
  key?: string;
  project?: string;
  since?: number;
  until?: number;
  org?: string;
  provider?: string;
  session?: string;
  token?: string;
  member?: string;
  agent?: string;
  parentAgent?: string;
  runId?: string;
  turnId?: string;
  client?: string;
  user?: string;
  tag?: string;
  userAgent?: string;
  search?: string;
  limit: number;
}

/** Only rows after this one. */
export function after(last: LogRow | undefined): Pick<LogFilter, 'before'> {
  return last ? { before: { startedAt: last.startedAt, requestId: last.requestId } } : {};
}

export function toFilter(options: LogsOptions): LogFilter & { organizationId?: string } {
  const { model, finish, since, until, userAgent, search } = options;
  const chosen = {
    organizationId: options.org,
    projectId: options.project,
    keyId: options.key,
    model,
    providerId: options.provider,
    finishReason: finish as LogRow['finishReason'] | undefined,
    sessionId: options.session,
    sessionTokenId: options.token,
    memberId: options.member,
    agentId: options.agent,
    parentAgentId: options.parentAgent,
    runId: options.runId,
    turnId: options.turnId,
    clientName: options.client,
    endUserId: options.user,
    tag: options.tag,
    userAgent,
    search,
    since,
    until,
  };
  return Object.fromEntries(Object.entries(chosen).filter(([, value]) => value !== undefined));
}
