export { type LogAttempt, type LogFinish, type LogRow, type LogUnit } from './log-row.ts';
export {
  type FollowFilter,
  type LogFilter,
  type LogPlace,
  type Logs,
  type Tenant,
  createLogs,
} from './logs.ts';
