import type { JsonObject } from '#base';
import type { Usage } from '#canonical';
import type { SessionAgent, SessionSums, SessionTree, SessionTurn } from './session-tree.ts';
import type { SessionLine } from './sessions.ts';
import { formatUsd } from '#base';
import { inputTokensOf } from '#canonical';
import { encodeMiss } from './prompt-cache/encode-miss.ts';
import { encodeTokens } from './encode-usage.ts';

/** The share of the prompt that was read from the cache, of 1; undefined without a prompt. */
export function shareCached(usage: Usage): number | undefined {
  const input = inputTokensOf(usage);
  return input === 0 ? undefined : usage.inputCacheRead / input;
}

/** What was neither read from the cache nor written to it. */
export function freshTokensOf(usage: Usage): number {
  return inputTokensOf(usage) - usage.inputCacheRead - usage.inputCacheWrite5m - usage.inputCacheWrite1h;
}

/** The tree of a session as JSON. The provider's cost is included only for the operator (`isOperator`). */
export function encodeSession(tree: SessionTree, isOperator: boolean): JsonObject {
  const { sessionId, organizationId, clientName, clientVersion, main } = tree;
  return {
    object: 'session',
    id: sessionId,
    organization_id: organizationId,
    client_name: clientName ?? null,
    client_version: clientVersion ?? null,
    ...encodeSums(main.total, isOperator),
    main: encodeAgent(main, isOperator),
  };
}

/** A list of sessions as JSON. */
export function encodeSessions(lines: readonly SessionLine[], isOperator: boolean): JsonObject {
  return { object: 'list', data: lines.map((line) => encodeLine(line, isOperator)) };
}

function encodeLine(line: SessionLine, isOperator: boolean): JsonObject {
  return {
    object: 'session_summary',
    id: line.sessionId,
    organization_id: line.organizationId,
    client_name: line.clientName ?? null,
    end_user_id: line.endUserId ?? null,
    started_at: toTime(line.startedAt),
    last_request_at: toTime(line.lastAt),
    requests: line.requests,
    failed_requests: line.failed,
    key_ids: [...line.keyIds],
    agents: line.agents,
    ...encodeCounts(line, isOperator),
  };
}

function encodeAgent(agent: SessionAgent, isOperator: boolean): JsonObject {
  return {
    object: 'agent',
    id: agent.agentId ?? null,
    parent_agent_id: agent.parentAgentId ?? null,
    total: encodeSums(agent.total, isOperator),
    own: encodeSums(agent.own, isOperator),
    turns: agent.turns.map((turn) => encodeTurn(turn, isOperator)),
    agents: agent.agents.map((one) => encodeAgent(one, isOperator)),
  };
}

function encodeTurn(turn: SessionTurn, isOperator: boolean): JsonObject {
  return {
    object: 'turn',
    id: turn.turnId ?? null,
    request_ids: [...turn.requestIds],
    status: turn.outcome.status,
    error_code: turn.outcome.errorCode ?? null,
    ...encodeSums(turn, isOperator),
    misses: turn.cacheMisses.map(({ requestId, miss }) => ({ request_id: requestId, ...encodeMiss(miss) })),
  };
}

function encodeSums(sums: SessionSums, isOperator: boolean): JsonObject {
  const isEmpty = sums.requests === 0;
  return {
    started_at: isEmpty ? null : toTime(sums.startedAt),
    ended_at: isEmpty ? null : toTime(sums.endedAt),
    duration_ms: sums.durationMs,
    models: [...sums.models],
    requests: sums.requests,
    failed_requests: sums.failed,
    retries: sums.retries,
    cache_misses: sums.misses,
    missed_tokens: sums.missedTokens,
    missed_cost: formatUsd(sums.missedCost),
    cache_saved: sums.cacheSaved === undefined ? null : formatUsd(sums.cacheSaved),
    ...encodeCounts(sums, isOperator),
  };
}

function encodeCounts(
  { usage, customer, provider }: Pick<SessionSums, 'usage' | 'customer' | 'provider'>,
  isOperator: boolean,
): JsonObject {
  return {
    ...encodeTokens(usage),
    fresh_tokens: freshTokensOf(usage),
    cache_share: shareCached(usage) ?? null,
    cost: formatUsd(customer),
    ...(isOperator && { provider_cost: formatUsd(provider) }),
  };
}

const toTime = (ms: number): string => new Date(ms).toISOString();
