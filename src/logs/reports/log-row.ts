import { reportOf } from '#fields';
import { logType } from '../encode-log.ts';
import type { Logs } from '../rows/logs.ts';
import { findRow } from './find-row.ts';

export const logReport = reportOf<{ logs: Logs }>()({
  path: 'logs/{id}',
  summary: 'A request by its id, which every answer carries as `x-request-id`.',
  scope: 'logs:read',
  isForMembers: true,
  record: 'request',
  filters: {},
  answer: 'The outcome of the request.',
  output: logType,
  read: findRow,
});
