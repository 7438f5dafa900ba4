export { type FollowFilter, type LogFilter, type LogPlace, type Tenant } from './log-filter.ts';
export {
  LOG_FINISHES,
  type LogAttempt,
  type LogFactor,
  type LogFinish,
  type LogNames,
  type LogPart,
  type LogRow,
  type LogUnit,
  toErrorFinish,
} from './log-row.ts';
export { type Logs, createLogs } from './logs.ts';
export { type PayloadKeeper, createPayloadQueue } from './payload-queue.ts';
export {
  MOST_PAYLOAD_BYTES,
  type Payload,
  type PayloadText,
  type Payloads,
  type StoredPayload,
  createPayloads,
} from './payloads.ts';
export { type ExperimentLine, listExperiments } from './list-experiments.ts';
export { type LogLimits } from './retention.ts';
export { LogUpkeep } from './upkeep.ts';
export { USAGE_GROUPS, type UsageFilter, type UsageGroup } from './select-usage.ts';
export { type UsageBook, type UsageLine, createUsageBook } from './usage.ts';
export { USAGE_COLUMNS } from './usage-columns.ts';
