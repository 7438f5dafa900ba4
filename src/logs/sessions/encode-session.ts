import type { JsonObject } from '#base';
import type { Usage } from '#canonical';
import type { SessionAgent, SessionSums, SessionTree, SessionTurn } from './session-tree.ts';
import type { SessionLine } from './sessions.ts';
import { encodeMembers, encodeTime, formatUsd } from '#base';
import { inputTokensOf } from '#canonical';
import { encodeMiss } from '../prompt-cache/encode-miss.ts';
import { encodeTokens } from '../usage/encode-usage.ts';

/** The share of the prompt that was read from the cache, of 1; undefined without a prompt. */
export function shareCached(usage: Usage): number | undefined {
  const input = inputTokensOf(usage);
  return input === 0 ? undefined : usage.inputCacheRead / input;
}

/** Input tokens that were neither read from the cache nor written to it. */
export function freshTokensOf(usage: Usage): number {
  return inputTokensOf(usage) - usage.inputCacheRead - usage.inputCacheWrite5m - usage.inputCacheWrite1h;
}

/** The tree of a session as JSON. The provider's cost is included only for the operator (`isOperator`). */
export function encodeSession(tree: SessionTree, isOperator: boolean): JsonObject {
  return {
    object: 'session',
    id: tree.sessionId,
    ...encodeMembers(tree, ['organizationId', 'clientName', 'clientVersion']),
    ...encodeSums(tree.main.total, isOperator),
    main: encodeAgent(tree.main, isOperator),
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
    ...encodeMembers(line, ['organizationId', 'clientName', 'endUserId']),
    started_at: encodeTime(line.startedAt),
    last_request_at: encodeTime(line.lastAt),
    requests: line.requests,
    failed_requests: line.failed,
    ...encodeMembers(line, ['keyIds', 'agents']),
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
    ...encodeMembers(turn.outcome, ['status', 'errorCode']),
    ...encodeSums(turn, isOperator),
    misses: turn.cacheMisses.map(({ requestId, miss }) => ({ request_id: requestId, ...encodeMiss(miss) })),
  };
}

function encodeSums(sums: SessionSums, isOperator: boolean): JsonObject {
  const isEmpty = sums.requests === 0;
  return {
    started_at: isEmpty ? null : encodeTime(sums.startedAt),
    ended_at: isEmpty ? null : encodeTime(sums.endedAt),
    ...encodeMembers(sums, ['durationMs', 'models', 'requests']),
    failed_requests: sums.failed,
    retries: sums.retries,
    cache_misses: sums.misses,
    ...encodeMembers(sums, ['missedTokens', 'missedCost', 'cacheSaved']),
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
