import { createUsage } from '#canonical';
import type { CacheMiss } from './prompt-cache/miss.ts';
import type { LogAttempt, LogFinish, LogPart, LogRow, LogUnit } from './log-row.ts';
import { USAGE_COLUMNS, type UsageColumn, readCounts } from './usage-columns.ts';

/** A row of `request_log` as the queries here select it. */
export interface StoredRow extends Record<UsageColumn, string> {
  request_id: string;
  organization_id: string;
  project_id: string;
  key_id: string;
  started_at: number;
  endpoint: string;
  format: string;
  stream: boolean;
  requested_model: string;
  model_id: string | null;
  provider_id: string | null;
  external_id: string | null;
  finish_reason: LogFinish;
  status: number;
  error_code: string | null;
  error_message: string | null;
  cached: boolean;
  estimated: boolean;
  units: LogUnit[] | null;
  modifiers: LogPart[] | null;
  customer_cost: string;
  provider_cost: string;
  price_version: string | null;
  attempts: LogAttempt[];
  first_event_ms: number | null;
  duration_ms: number;
  client_request_id: string | null;
  user_agent: string | null;
  session_id: string | null;
  agent_id: string | null;
  session_token_id: string | null;
  member_id: string | null;
  end_user_id: string | null;
  credential: 'own' | 'gateway' | null;
  upstream_id: string | null;
  parent_agent_id: string | null;
  run_id: string | null;
  turn_id: string | null;
  client_name: string | null;
  client_version: string | null;
  tags: Record<string, string> | null;
  cache_miss: CacheMiss | null;
  cache_saved: string | null;
}

const COUNTS = Object.values(USAGE_COLUMNS).map((column) => `${column}::text`);

export const ROW_COLUMNS = `
  request_id, organization_id, project_id, key_id, round(extract(epoch FROM started_at) * 1000)::float8 AS started_at,
  endpoint, format, stream, requested_model, model_id, provider_id, external_id, finish_reason, status, error_code,
  error_message, cached, estimated, ${COUNTS.join(', ')},
  customer_cost::text, provider_cost::text, price_version, attempts, first_event_ms, duration_ms, client_request_id,
  user_agent, session_id, agent_id, session_token_id, member_id, end_user_id, credential, upstream_id, units, modifiers,
  parent_agent_id, run_id, turn_id, client_name, client_version, tags, cache_miss,
  cache_saved::text`;

export function readRow(row: StoredRow): LogRow {
  return {
    requestId: row.request_id,
    organizationId: row.organization_id,
    projectId: row.project_id,
    keyId: row.key_id,
    startedAt: row.started_at,
    endpoint: row.endpoint,
    format: row.format,
    stream: row.stream,
    requestedModel: row.requested_model,
    finishReason: row.finish_reason,
    status: row.status,
    cached: row.cached,
    estimated: row.estimated,
    usage: createUsage(readCounts(row)),
    ...(row.units && { units: row.units }),
    ...(row.modifiers && { modifiers: row.modifiers }),
    ...(row.tags && { tags: row.tags }),
    ...(row.cache_miss && { cacheMiss: row.cache_miss }),
    customer: row.customer_cost,
    provider: row.provider_cost,
    attempts: row.attempts,
    durationMs: row.duration_ms,
    ...readOptional(row),
  };
}

function readOptional(row: StoredRow): Partial<LogRow> {
  const optional: Partial<Record<keyof LogRow, string | number | null>> = {
    modelId: row.model_id,
    providerId: row.provider_id,
    externalId: row.external_id,
    errorCode: row.error_code,
    errorMessage: row.error_message,
    priceVersion: row.price_version,
    firstEventMs: row.first_event_ms,
    clientRequestId: row.client_request_id,
    userAgent: row.user_agent,
    sessionId: row.session_id,
    agentId: row.agent_id,
    sessionTokenId: row.session_token_id,
    memberId: row.member_id,
    endUserId: row.end_user_id,
    credential: row.credential,
    upstreamId: row.upstream_id,
    parentAgentId: row.parent_agent_id,
    runId: row.run_id,
    turnId: row.turn_id,
    clientName: row.client_name,
    clientVersion: row.client_version,
    cacheSaved: row.cache_saved,
  };
  return Object.fromEntries(Object.entries(optional).filter(([, value]) => value !== null));
}
