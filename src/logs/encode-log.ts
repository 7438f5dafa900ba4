import type { JsonObject, JsonValue, SnakeCase } from '#base';
import type { LogNames, LogRow } from './log-row.ts';
import { formatUsd, toSnakeCaseMembers } from '#base';
import { encodeTokens } from './encode-usage.ts';
import { encodeMiss } from './prompt-cache/encode-miss.ts';

type Encoded<Member extends string> = JsonObject & { [Name in Member as SnakeCase<Name>]: JsonValue };
/** Members under another name, or not in the JSON. */
type Other = 'requestId' | 'customer' | 'provider' | 'externalId' | 'credential' | 'promptChain';

/** The outcome of a request. The provider's cost is included only for the operator (`isOperator`). */
export function encodeLog(row: LogRow, isOperator: boolean): Encoded<Exclude<keyof LogRow, Other>> {
  const { requestId, organizationId, projectId, keyId } = row;
  return {
    object: 'log',
    id: requestId,
    organization_id: organizationId,
    project_id: projectId,
    key_id: keyId,
    member_id: row.memberId ?? null,
    session_token_id: row.sessionTokenId ?? null,
    end_user_id: row.endUserId ?? null,
    started_at: new Date(row.startedAt).toISOString(),
    endpoint: row.endpoint,
    format: row.format,
    stream: row.stream,
    requested_model: row.requestedModel,
    model_id: row.modelId ?? null,
    provider_id: row.providerId ?? null,
    finish_reason: row.finishReason,
    status: row.status,
    error_code: row.errorCode ?? null,
    error_message: row.errorMessage ?? null,
    cached: row.cached,
    estimated: row.estimated,
    usage: toSnakeCaseMembers(row.usage),
    ...encodeTokens(row.usage),
    cost: formatUsd(BigInt(row.customer)),
    ...(isOperator && { provider_cost: formatUsd(BigInt(row.provider)) }),
    price_version: row.priceVersion ?? null,
    units: row.units ? row.units.map(({ unit, kind, count }) => ({ unit, kind: kind ?? null, count })) : null,
    modifiers: row.modifiers ? encodeParts(row.modifiers) : null,
    attempts: encodeAttempts(row.attempts),
    first_event_ms: row.firstEventMs ?? null,
    duration_ms: row.durationMs,
    client_request_id: row.clientRequestId ?? null,
    user_agent: row.userAgent ?? null,
    ...encodeNames(row),
    upstream_id: row.upstreamId ?? null,
    cache_miss: row.cacheMiss ? encodeMiss(row.cacheMiss) : null,
    cache_saved: row.cacheSaved === undefined ? null : formatUsd(BigInt(row.cacheSaved)),
  };
}

function encodeNames(row: LogNames): Encoded<Exclude<keyof LogNames, 'endUserId'>> {
  return {
    client_name: row.clientName ?? null,
    client_version: row.clientVersion ?? null,
    session_id: row.sessionId ?? null,
    agent_id: row.agentId ?? null,
    parent_agent_id: row.parentAgentId ?? null,
    run_id: row.runId ?? null,
    turn_id: row.turnId ?? null,
    tags: { ...row.tags },
  };
}

function encodeParts(parts: NonNullable<LogRow['modifiers']>): JsonObject[] {
  return parts.map(({ providerId, model, priceVersion, usage, factors, amount }) => ({
    provider_id: providerId ?? null,
    model,
    price_version: priceVersion,
    usage: toSnakeCaseMembers(usage),
    factors: factors.map(({ name, value, requested, factor, unpriced = false, ...added }) => ({
      name,
      value,
      requested: requested ?? null,
      factor,
      unpriced,
      amount: formatUsd(BigInt(added.amount)),
    })),
    amount: formatUsd(BigInt(amount)),
  }));
}

function encodeAttempts(attempts: LogRow['attempts']): JsonObject[] {
  return attempts.map(({ providerId, externalId, outcome, status, durationMs, credential, ...why }) => ({
    provider_id: providerId,
    model: externalId,
    reason: why.reason ?? null,
    experiment: why.experiment ?? null,
    wait_ms: why.waitedMs ?? 0,
    connect_ms: why.connectMs ?? 0,
    price: why.price ?? null,
    outcome,
    status: status ?? null,
    start_ms: why.startMs ?? null,
    duration_ms: durationMs,
    credential: credential ?? null,
  }));
}
