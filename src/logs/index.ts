export { type LogFilter, type Tenant, type Tenants, toTenants } from './rows/log-filter.ts';
export {
  type LogAttempt,
  type LogFinish,
  type LogNames,
  type LogPart,
  type LogRow,
  type LogUnit,
  toErrorFinish,
} from './rows/log-row.ts';
export { type RequestFilter } from './rows/request-filters.ts';
export { type Logs, createLogs } from './rows/logs.ts';
export { ReportPlaces } from './report-places.ts';
export { LogFeed, type LogReader } from './rows/log-feed.ts';
export { checkSearch } from './rows/select-rows.ts';
export { type PayloadQueue, createPayloadQueue } from './payloads/payload-queue.ts';
export {
  MOST_PAYLOAD_BYTES,
  type Payload,
  type PayloadText,
  type Payloads,
  type StoredPayload,
  createPayloads,
} from './payloads/payloads.ts';
export { type Experiments, createExperiments } from './experiments.ts';
export { allRequestFilters, anyPeriod, periodOf, requestFilters } from './request-inputs.ts';
export { type LogLimits } from './upkeep/retention.ts';
export { type Bill, type BillLine, encodeBill } from './bills/bill.ts';
export { encodeLog, logType } from './encode-log.ts';
export {
  BILL_OWNERS,
  type BillReader,
  type BilledRequests,
  type LongPrompts,
  type BillFilter,
  type BillSteps,
  type BillGroup,
  type Bills,
  type SpecialBill,
  createBillReader,
} from './bills/bills.ts';
export {
  type ProviderAttempt,
  type ProviderReader,
  type ProviderRow,
  type ProviderSum,
  createProviderReader,
} from './bills/provider-reader.ts';
export {
  type PromptReader,
  type PromptProject,
  type PromptRow,
  createPromptReader,
} from './bills/prompt-reader.ts';
export { sessionType } from './session-type.ts';
export { type Sessions, createSessions } from './sessions/sessions.ts';
export { SettledFrontier, type SettledRow, readSettled } from './rows/settled-rows.ts';
export {
  CHAIN_PARAMETERS,
  type PromptChain,
  decodeChain,
  encodeChain,
  foldTurns,
  limitChain,
  readParts,
  combine as combineHashes,
} from './prompt-cache/chain.ts';
export { type CacheMiss, type MissReason, describeMiss } from './rows/miss.ts';
export {
  type LastPrompt,
  type LastPrompts,
  createLastPrompts,
  findCredential,
} from './prompt-cache/last-prompts.ts';
export { type CallPart, MOST_CALLS, type PromptParts, type ToolSample } from './prompt-cache/parts.ts';
export { cacheMissesReport } from './reports/cache-misses.ts';
export { experimentsReport } from './reports/experiments.ts';
export { latencyReport } from './reports/latency.ts';
export { followRow, formatRows, logsReport } from './reports/log-rows.ts';
export { logReport } from './reports/log-row.ts';
export { payloadReport, payloadType } from './reports/payload.ts';
export { sessionReport } from './reports/session.ts';
export { OWN_SESSION_FILTERS, readSessions, sessionsReport } from './reports/sessions.ts';
export { OWN_USAGE_FILTERS, usageReport } from './reports/usage.ts';
export { type CacheMisses, createCacheMisses } from './prompt-cache/miss-sums.ts';
export { type LatencyReader, createLatencyReader } from './latency/latency.ts';
export { LogUpkeep } from './upkeep/upkeep.ts';
export { type UsageFilter } from './usage/select-usage.ts';
export { type UsageGroup } from './usage/usage-groups.ts';
export { type UsageReader, createUsageReader } from './usage/usage.ts';
export { USAGE_COLUMNS } from './rows/usage-columns.ts';
