import type { LogFilter, LogRow } from '#app';
import type { CommonOptions } from './command.ts';

/** What `sluice logs` was asked for. */
export interface LogsOptions extends CommonOptions {
  follow?: boolean;
  request?: string;
  model?: string;
  finish?: string;
  key?: string;
  project?: string;
  since?: number;
  limit: number;
}

/** Only what comes behind a row. */
export function after(last: LogRow | undefined): Pick<LogFilter, 'before'> {
  return last ? { before: { startedAt: last.startedAt, requestId: last.requestId } } : {};
}

export function toFilter({ model, finish, key, project, since }: LogsOptions): LogFilter {
  return {
    ...(model !== undefined && { model }),
    ...(finish !== undefined && { finishReason: finish as LogRow['finishReason'] }),
    ...(key !== undefined && { keyId: key }),
    ...(project !== undefined && { projectId: project }),
    ...(since !== undefined && { since }),
  };
}
