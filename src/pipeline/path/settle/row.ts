import type { HttpHeaders } from '#base';
import type { FinishReason } from '#canonical';
import type { Mapping } from '#catalogue';
import type { Caller } from '#accounts';
import { type LogFinish, type LogRow, toErrorFinish } from '#logs';
import type { Outcome, Trip } from '../../request/trip.ts';
import { createUsage } from '#canonical';
import { readNames } from '../../request/client/read-names.ts';
import { toLogParts } from '../../price/pricing.ts';

const MAX_TEXT = 500;
const NO_USAGE = createUsage();

/** The row of an open request: the facts known if the process crashes now. */
export function toOpenRow(trip: Trip, mapping: Mapping | undefined): LogRow {
  const row = createRow(trip, mapping);
  row.errorCode = 'gateway_stopped';
  row.errorMessage = 'the gateway stopped before this request was complete';
  return row;
}

/** The row of a closed trip. */
export function toRow(trip: Trip, outcome: Outcome, durationMs: number): LogRow {
  const { facts, bill, error } = outcome;
  const { firstEventMs, upstreamId } = facts;
  const row = createRow(trip, facts.mapping);
  row.finishReason = toLogFinish(outcome);
  row.status = facts.status ?? 200;
  const reason = error ?? facts.shortage;
  if (reason) {
    row.errorCode = reason.code;
    row.errorMessage = reason.message.slice(0, MAX_TEXT);
  }
  row.cached = outcome.ending === 'replayed';
  row.estimated = bill.estimated;
  row.usage = bill.usage;
  if (bill.units && bill.units.length > 0) row.units = bill.units;
  const modifiers = bill.parts && toLogParts(bill.parts, facts.mapping);
  if (modifiers) row.modifiers = modifiers;
  row.customer = bill.customer.toString();
  row.provider = bill.provider.toString();
  row.attempts = outcome.attempts;
  if (firstEventMs !== undefined) row.firstEventMs = Math.round(firstEventMs);
  row.durationMs = Math.round(durationMs);
  if (upstreamId !== undefined) row.upstreamId = upstreamId.slice(0, MAX_TEXT);
  return row;
}

/**
 * The row of a request without an answer yet. Built by assignment, twice per request: spreading costs several times
 * as much.
 */
function createRow(trip: Trip, mapping: Mapping | undefined): LogRow {
  const { arrival, facts } = trip;
  const caller = trip.get('caller');
  const row: LogRow = {
    requestId: arrival.requestId,
    organizationId: caller.organizationId,
    projectId: caller.projectId,
    keyId: caller.keyId,
    startedAt: arrival.startedAt,
    endpoint: arrival.endpoint,
    format: arrival.format.id,
    stream: trip.asked?.stream ?? false,
    requestedModel: (trip.asked?.model ?? '').slice(0, MAX_TEXT),
    finishReason: 'gateway_error',
    status: 0,
    cached: false,
    estimated: true,
    usage: NO_USAGE,
    customer: '0',
    provider: '0',
    attempts: [],
    durationMs: 0,
  };
  addClient(row, arrival.headers);
  Object.assign(row, facts.names ?? readNames(arrival.headers));
  addCaller(row, caller);
  if (mapping) addMapping(row, mapping);
  else if (facts.countedModelId !== undefined) row.modelId = facts.countedModelId;
  if (facts.credential) row.credential = facts.credential;
  return row;
}

function addCaller(row: LogRow, { memberId, sessionTokenId, endUserId }: Caller): void {
  if (memberId !== undefined) row.memberId = memberId;
  if (sessionTokenId !== undefined) row.sessionTokenId = sessionTokenId;
  if (endUserId !== undefined) row.endUserId = endUserId;
}

function addClient(row: LogRow, headers: HttpHeaders): void {
  const { 'x-request-id': requestId, 'user-agent': userAgent } = headers;
  if (typeof requestId === 'string' && requestId !== '') row.clientRequestId = requestId.slice(0, MAX_TEXT);
  if (userAgent !== undefined && userAgent !== '') row.userAgent = String(userAgent).slice(0, MAX_TEXT);
}

function addMapping(row: LogRow, { modelId, providerId, externalId, price }: Mapping): void {
  row.modelId = modelId;
  row.providerId = providerId;
  row.externalId = externalId;
  if (price) row.priceVersion = price.version;
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
  return error ? toErrorFinish(error) : FINISH[finish?.reason ?? 'unknown'];
}
