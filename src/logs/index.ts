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
export {
  FILTER_NAMES,
  type FilterName,
  type FilterSpec,
  REQUEST_FILTERS,
  type RequestFilter,
} from './rows/request-filters.ts';
export { type Logs, createLogs } from './rows/logs.ts';
export { ReportPlaces } from './report-places.ts';
export { LogFeed, type LogReader } from './rows/log-feed.ts';
export { checkSearch } from './rows/select-rows.ts';
export { encodePayload } from './payloads/encode-payload.ts';
export { type PayloadQueue, createPayloadQueue } from './payloads/payload-queue.ts';
export {
  MOST_PAYLOAD_BYTES,
  type Payload,
  type PayloadText,
  type Payloads,
  type StoredPayload,
  createPayloads,
} from './payloads/payloads.ts';
export {
  type ExperimentLine,
  type Experiments,
  createExperiments,
  encodeExperiments,
} from './experiments.ts';
export { type LogLimits } from './upkeep/retention.ts';
export { type Bill, type BillLine, encodeBill } from './bills/bill.ts';
export { type LogMember, encodeLog } from './encode-log.ts';
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
export { encodeSession, encodeSessions, freshTokensOf, shareCached } from './sessions/encode-session.ts';
export {
  type SessionAgent,
  type SessionSums,
  type SessionTree,
  type TurnOutcome,
} from './sessions/session-tree.ts';
export {
  SESSION_ORDERS,
  type Sessions,
  type SessionFilter,
  type SessionLine,
  createSessions,
} from './sessions/sessions.ts';
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
export { type CacheMiss, MISS_CODES, type MissReason, describeMiss } from './rows/miss.ts';
export {
  type LastPrompt,
  type LastPrompts,
  createLastPrompts,
  findCredential,
} from './prompt-cache/last-prompts.ts';
export { type CallPart, MOST_CALLS, type PromptParts, type ToolSample } from './prompt-cache/parts.ts';
export { encodeMisses } from './prompt-cache/encode-misses.ts';
export { type CacheMisses, type CacheReport, createCacheMisses } from './prompt-cache/miss-sums.ts';
export { type LatencyReader, createLatencyReader } from './latency/latency.ts';
export { LATENCY_GROUPS, type LatencyFilter, type LatencyGroup } from './latency/select-latency.ts';
export { encodeLatency } from './latency/encode-latency.ts';
export { LogUpkeep } from './upkeep/upkeep.ts';
export { encodeUsage } from './usage/encode-usage.ts';
export { MOST_TOP, USUAL_TOP, type UsageFilter } from './usage/select-usage.ts';
export { USAGE_GROUPS_HELP, type UsageGroup, readUsageGroups } from './usage/usage-groups.ts';
export { type UsageReader, createUsageReader } from './usage/usage.ts';
export { type UsageLine } from './usage/usage-line.ts';
export { USAGE_COLUMNS } from './rows/usage-columns.ts';
