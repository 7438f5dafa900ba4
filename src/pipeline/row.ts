import type { FinishReason } from '#canonical';
import type { Mapping } from '#catalogue';
import type { Caller, OutcomeRow } from '#accounts';
import type { RequestHeaders } from '#wire';
import type { LogFinish, LogRow } from '#logs';
import type { Outcome, Trip } from './trip.ts';
import { createUsage } from '#canonical';

const MAX_TEXT = 500;

/** The row of a request that is still open: what is known if the process dies now. */
export function toOpenRow(trip: Trip, route: readonly Mapping[]): LogRow {
  const [mapping] = route;
  return {
    ...describeArrival(trip),
    ...(mapping && describeMapping(mapping)),
    ...(trip.facts.credential && { credential: trip.facts.credential }),
    finishReason: 'gateway_error',
    status: 0,
    errorCode: 'gateway_stopped',
    errorMessage: 'the gateway stopped before this request was complete',
    cached: false,
    estimated: true,
    usage: createUsage(),
    customer: '0',
    provider: '0',
    attempts: [],
    durationMs: 0,
  };
}

/** The row of a closed trip. */
export function toRow(trip: Trip, outcome: Outcome, durationMs: number): LogRow {
  const { facts, bill, error } = outcome;
  const { mapping, firstEventMs, upstreamId } = facts;
  return {
    ...describeArrival(trip),
    ...(mapping && describeMapping(mapping)),
    ...(facts.credential && { credential: facts.credential }),
    finishReason: toLogFinish(outcome),
    status: facts.status ?? 200,
    ...(error && { errorCode: error.code, errorMessage: error.message.slice(0, MAX_TEXT) }),
    cached: outcome.ending === 'replayed',
    estimated: bill.estimated,
    usage: bill.usage,
    ...(bill.units && bill.units.length > 0 && { units: bill.units }),
    customer: bill.customer.toString(),
    provider: bill.provider.toString(),
    attempts: outcome.attempts.map((attempt) => ({ ...attempt })),
    ...(firstEventMs !== undefined && { firstEventMs: Math.round(firstEventMs) }),
    durationMs: Math.round(durationMs),
    ...(upstreamId !== undefined && { upstreamId: upstreamId.slice(0, MAX_TEXT) }),
  };
}

type ArrivalPart = Pick<
  LogRow,
  | 'requestId'
  | 'organizationId'
  | 'projectId'
  | 'keyId'
  | 'startedAt'
  | 'endpoint'
  | 'format'
  | 'stream'
  | 'requestedModel'
  | 'clientRequestId'
  | 'userAgent'
  | 'sessionId'
  | 'agentId'
>;

type CallerPart = Pick<OutcomeRow, 'memberId' | 'sessionTokenId' | 'endUserId'>;

function describeCaller({ memberId, sessionTokenId, endUserId }: Caller): CallerPart {
  return {
    ...(memberId !== undefined && { memberId }),
    ...(sessionTokenId !== undefined && { sessionTokenId }),
    ...(endUserId !== undefined && { endUserId }),
  };
}

function describeArrival(trip: Trip): ArrivalPart & CallerPart {
  const { arrival } = trip;
  const caller = trip.get('caller');
  return {
    requestId: arrival.requestId,
    organizationId: caller.organizationId,
    projectId: caller.projectId,
    keyId: caller.keyId,
    ...describeCaller(caller),
    startedAt: arrival.startedAt,
    endpoint: arrival.endpoint,
    format: arrival.format.id,
    stream: trip.asked?.stream ?? false,
    requestedModel: (trip.asked?.model ?? '').slice(0, MAX_TEXT),
    ...readClient(arrival.headers),
  };
}

function readClient(headers: RequestHeaders): Partial<ArrivalPart> {
  const clientRequestId = readText(headers, 'x-request-id');
  const userAgent = readText(headers, 'user-agent');
  const sessionId = readText(headers, 'x-claude-code-session-id');
  const agentId = readText(headers, 'x-claude-code-agent-id');
  return {
    ...(clientRequestId !== undefined && { clientRequestId }),
    ...(userAgent !== undefined && { userAgent }),
    ...(sessionId !== undefined && { sessionId }),
    ...(agentId !== undefined && { agentId }),
  };
}

function readText(headers: RequestHeaders, name: string): string | undefined {
  const value = headers[name];
  return typeof value === 'string' && value !== '' ? value.slice(0, MAX_TEXT) : undefined;
}

function describeMapping(
  mapping: Mapping,
): Pick<LogRow, 'modelId' | 'providerId' | 'externalId' | 'priceVersion'> {
  return {
    modelId: mapping.modelId,
    providerId: mapping.providerId,
    externalId: mapping.externalId,
    ...(mapping.price && { priceVersion: mapping.price.version }),
  };
}

const FINISH: Record<FinishReason, LogFinish> = {
  stop: 'completed',
  'stop-sequence': 'completed',
  pause: 'completed',
  unknown: 'completed',
  length: 'length',
  'context-window': 'length',
  'tool-calls': 'tool_calls',
  'content-filter': 'content_filter',
};

function toLogFinish({ ending, finish, error }: Outcome): LogFinish {
  if (ending === 'canceled') return 'canceled';
  if (!error) return FINISH[finish?.reason ?? 'unknown'];
  if (error.blame === 'upstream') return 'upstream_error';
  return error.blame === 'gateway' ? 'gateway_error' : 'client_error';
}
