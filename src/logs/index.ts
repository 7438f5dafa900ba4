export { type LogAttempt, type LogFinish, type LogRow } from './log-row.ts';
export {
  type FollowFilter,
  type LogFilter,
  type LogPlace,
  type Logs,
  type Tenant,
  createLogs,
} from './logs.ts';
