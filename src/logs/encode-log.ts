import type { JsonObject, JsonValue, SnakeCase } from '#base';
import type { LogRow } from './rows/log-row.ts';
import { encodeMembers, encodeTime, formatUsd, toSnakeCaseMembers } from '#base';
import { encodeTokens } from './usage/encode-usage.ts';
import { encodeMiss } from './prompt-cache/encode-miss.ts';

type Encoded<Member extends string> = JsonObject & { [Name in Member as SnakeCase<Name>]: JsonValue };
/** Members under another name, or not in the JSON. */
type Other = 'requestId' | 'customer' | 'provider' | 'externalId' | 'credential' | 'promptChain';
type Shown = Exclude<keyof LogRow, Other>;

/** The members of the JSON that are members of a row. */
export type LogMember = SnakeCase<Shown>;

/** The outcome of a request. The provider's cost is included only for the operator (`isOperator`). */
export function encodeLog(row: LogRow, isOperator: boolean): Encoded<Shown> {
  return {
    object: 'log',
    id: row.requestId,
    ...encodeMembers(row, ['organizationId', 'projectId', 'keyId', 'memberId']),
    ...encodeMembers(row, ['sessionTokenId', 'endUserId']),
    started_at: encodeTime(row.startedAt),
    ...encodeMembers(row, ['endpoint', 'format', 'stream', 'requestedModel', 'modelId', 'providerId']),
    ...encodeMembers(row, ['finishReason', 'status', 'errorCode', 'errorMessage', 'cached', 'estimated']),
    usage: toSnakeCaseMembers(row.usage),
    ...encodeTokens(row.usage),
    cost: formatUsd(BigInt(row.customer)),
    ...(isOperator && { provider_cost: formatUsd(BigInt(row.provider)) }),
    price_version: row.priceVersion ?? null,
    units: row.units ? row.units.map(({ unit, kind, count }) => ({ unit, kind: kind ?? null, count })) : null,
    modifiers: row.modifiers ? encodeParts(row.modifiers) : null,
    attempts: encodeAttempts(row.attempts),
    ...encodeMembers(row, ['firstEventMs', 'durationMs', 'clientRequestId', 'userAgent', 'clientName']),
    ...encodeMembers(row, ['clientVersion', 'sessionId', 'agentId', 'parentAgentId', 'runId', 'turnId']),
    tags: { ...row.tags },
    upstream_id: row.upstreamId ?? null,
    cache_miss: row.cacheMiss ? encodeMiss(row.cacheMiss) : null,
    cache_saved: row.cacheSaved === undefined ? null : formatUsd(BigInt(row.cacheSaved)),
  };
}

function encodeParts(parts: NonNullable<LogRow['modifiers']>): JsonObject[] {
  return parts.map((part) => ({
    ...encodeMembers(part, ['providerId', 'model', 'priceVersion']),
    usage: toSnakeCaseMembers(part.usage),
    factors: part.factors.map((one) => ({
      ...encodeMembers(one, ['name', 'value', 'requested', 'factor']),
      unpriced: one.unpriced ?? false,
      amount: formatUsd(BigInt(one.amount)),
    })),
    amount: formatUsd(BigInt(part.amount)),
  }));
}

function encodeAttempts(attempts: LogRow['attempts']): JsonObject[] {
  return attempts.map((one) => ({
    provider_id: one.providerId,
    model: one.externalId,
    ...encodeMembers(one, ['reason', 'experiment']),
    wait_ms: one.waitedMs ?? 0,
    connect_ms: one.connectMs ?? 0,
    ...encodeMembers(one, ['price', 'outcome', 'status', 'startMs', 'durationMs', 'credential']),
  }));
}
