import type { OtlpObject } from '../otlp/encode.ts';
import type { ClosedRequest } from '../request-metrics.ts';
import type { AttemptTimes, RequestTrace } from './request-trace.ts';
import type { ReadContent, TracedBodies } from './traced-bodies.ts';
import { formatUsd } from '#base';
import { type AttributeValue, toAttributes } from '../otlp/attributes.ts';
import { NAMES, nameFinish, nameOperation, nameProvider } from './semantic-names.ts';

/** A closed request as its log row has it, with what only spans show. */
export interface TracedRequest extends ClosedRequest {
  organizationId: string;
  projectId: string;
  keyId: string;
  /** Milliseconds since the Unix epoch. */
  startedAt: number;
  format: string;
  stream: boolean;
  requestedModel: string;
  externalId?: string;
  estimated: boolean;
  attempts: readonly TracedAttempt[];
  clientRequestId?: string;
  userAgent?: string;
  sessionId?: string;
  agentId?: string;
  upstreamId?: string;
}

interface TracedAttempt {
  providerId: string;
  externalId: string;
  outcome: string;
  status?: number;
  durationMs: number;
  reason?: string;
  waitedMs?: number;
}

/** A request that has ended, and what was recorded of its trace. */
export interface TracedRecord {
  row: TracedRequest;
  trace: RequestTrace;
  bodies?: TracedBodies | undefined;
}

const SERVER = 2;
const CLIENT = 3;
const ERROR = 2;
const HAS_REMOTE = 0x100;
const IS_REMOTE = 0x200;
const SAMPLED = 1;
const OPERATOR_FAULTS = ['upstream_error', 'gateway_error'];
const NO_FAILURES = ['answered', 'canceled', 'outpaced'];

/** Whether the request, or a call of a provider for it, has failed. */
export function hasFailed({ errorCode, finishReason, attempts }: TracedRequest): boolean {
  if (errorCode !== undefined && finishReason !== 'canceled') return true;
  return attempts.some(({ outcome }) => !NO_FAILURES.includes(outcome));
}

/** One span for the request, and one for each call of a provider; content is on the one that answered. */
export function buildSpans(record: TracedRecord, readContent?: ReadContent): OtlpObject[] {
  const { row, trace } = record;
  const billed = findBilled(row);
  const content = describeContent(record, readContent);
  const calls = row.attempts.map((_attempt, at) =>
    buildCall(record, at, at === billed ? content : undefined),
  );
  const { traceId, spanId, parent } = trace;
  const lastMs = Math.max(row.durationMs, ...trace.attempts.map(({ endedMs }) => endedMs - trace.startedMs));
  const request = {
    traceId,
    spanId,
    traceState: parent?.state,
    parentSpanId: parent?.spanId,
    name: `POST ${row.endpoint}`,
    kind: SERVER,
    startTimeUnixNano: toNanoseconds(row.startedAt, 0),
    endTimeUnixNano: toNanoseconds(row.startedAt, lastMs),
    attributes: toAttributes(describeRequest(row)),
    status: OPERATOR_FAULTS.includes(row.finishReason) ? { code: ERROR } : undefined,
    flags: SAMPLED | HAS_REMOTE | (parent ? IS_REMOTE : 0),
  };
  return [request, ...calls];
}

type Attributes = Record<string, AttributeValue | undefined>;

/** Cost is here alone, in integers as the ledger has it, so that sums over spans are exact. */
function describeRequest(row: TracedRequest): Attributes {
  return {
    [NAMES.method]: 'POST',
    [NAMES.route]: row.endpoint,
    [NAMES.httpStatus]: BigInt(row.status),
    [NAMES.userAgent]: row.userAgent,
    [NAMES.errorType]: row.errorCode,
    [NAMES.requestId]: row.requestId,
    [NAMES.clientRequestId]: row.clientRequestId,
    [NAMES.organization]: row.organizationId,
    [NAMES.project]: row.projectId,
    [NAMES.key]: row.keyId,
    [NAMES.format]: row.format,
    [NAMES.requestedModel]: row.requestedModel,
    [NAMES.model]: row.modelId,
    [NAMES.providerId]: row.providerId,
    [NAMES.finish]: row.finishReason,
    [NAMES.cached]: row.cached,
    [NAMES.estimated]: row.estimated,
    [NAMES.customerCost]: BigInt(row.customer),
    [NAMES.operatorCost]: BigInt(row.provider),
  };
}

/** The call that has the usage: the last at the mapping that answered. Counting it once keeps sums right. */
function findBilled({ attempts, providerId, externalId }: TracedRequest): number {
  return attempts.findLastIndex(
    (attempt) => attempt.providerId === providerId && attempt.externalId === externalId,
  );
}

function describeContent({ row, bodies }: TracedRecord, readContent: ReadContent | undefined): Attributes {
  const content = bodies && readContent?.(row, bodies);
  if (!content) return {};
  return {
    [NAMES.systemInstructions]: content.systemInstructions,
    [NAMES.inputMessages]: content.inputMessages,
    [NAMES.outputMessages]: content.outputMessages,
    [NAMES.contentCut]: content.isCut || undefined,
  };
}

/** `content`: the request's content if this call is the billed one. */
function buildCall({ row, trace }: TracedRecord, at: number, content: Attributes | undefined): OtlpObject {
  const attempt = row.attempts[at] as TracedAttempt;
  const times = trace.attempts[at] ?? guessTimes(row, trace, attempt);
  const operation = nameOperation(row.endpoint);
  const isFailure = !NO_FAILURES.includes(attempt.outcome);
  const attributes: Attributes = {
    [NAMES.operation]: operation,
    [NAMES.provider]: nameProvider(attempt.providerId),
    [NAMES.requestModel]: attempt.externalId,
    [NAMES.requestStream]: row.stream || undefined,
    [NAMES.conversation]: row.sessionId,
    [NAMES.agent]: row.agentId,
    [NAMES.httpStatus]: attempt.status === undefined ? undefined : BigInt(attempt.status),
    [NAMES.errorType]: isFailure ? attempt.outcome : undefined,
    [NAMES.providerId]: attempt.providerId,
    [NAMES.attemptOutcome]: attempt.outcome,
    [NAMES.attemptReason]: attempt.reason,
    [NAMES.attemptWaited]: attempt.waitedMs === undefined ? undefined : BigInt(attempt.waitedMs),
    ...(content && { ...describeAnswer(row, times.startedMs - trace.startedMs), ...content }),
  };
  return {
    traceId: trace.traceId,
    spanId: times.spanId ?? trace.createSpanId(),
    traceState: trace.parent?.state,
    parentSpanId: trace.spanId,
    name: `${operation} ${attempt.externalId}`,
    kind: CLIENT,
    startTimeUnixNano: toNanoseconds(row.startedAt, times.startedMs - trace.startedMs),
    endTimeUnixNano: toNanoseconds(row.startedAt, times.endedMs - trace.startedMs),
    attributes: toAttributes(attributes),
    status: isFailure ? { code: ERROR } : undefined,
    flags: SAMPLED | HAS_REMOTE,
  };
}

/** The times of a job's calls, which another process may have made: each is assumed to have ended with the job. */
function guessTimes(
  { durationMs }: TracedRequest,
  trace: RequestTrace,
  attempt: TracedAttempt,
): AttemptTimes {
  const endedMs = trace.startedMs + durationMs;
  return { startedMs: Math.max(trace.startedMs, endedMs - attempt.durationMs), endedMs };
}

function describeAnswer(row: TracedRequest, startedAfterMs: number): Attributes {
  const { usage, firstEventMs } = row;
  const cacheWrite = usage.inputCacheWrite5m + usage.inputCacheWrite1h;
  const input = usage.inputUncached + usage.inputAudio + usage.inputImage + usage.inputCacheRead + cacheWrite;
  const output = usage.outputText + usage.outputReasoning + usage.outputAudio + usage.outputImage;
  const finish = nameFinish(row.finishReason);
  const waitMs = row.stream && firstEventMs !== undefined ? firstEventMs - startedAfterMs : undefined;
  return {
    [NAMES.responseId]: row.upstreamId,
    [NAMES.finishReasons]: finish === undefined ? undefined : [finish],
    [NAMES.firstChunk]: waitMs === undefined ? undefined : Math.max(0, waitMs) / 1_000,
    [NAMES.inputTokens]: BigInt(input),
    [NAMES.outputTokens]: BigInt(output),
    [NAMES.cacheRead]: BigInt(usage.inputCacheRead),
    [NAMES.cacheWrite]: BigInt(cacheWrite),
    [NAMES.reasoning]: BigInt(usage.outputReasoning),
    [NAMES.costUsd]: Number(formatUsd(BigInt(row.customer))),
  };
}

const MICROSECONDS = 1_000;

function toNanoseconds(epochMs: number, offsetMs: number): bigint {
  return BigInt(epochMs) * 1_000_000n + BigInt(Math.round(offsetMs * MICROSECONDS)) * 1_000n;
}
