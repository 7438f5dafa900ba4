import type { Price } from '#catalogue';
import type { PicoUsd } from '#base';
import type { AttemptRecord } from '../../request/trip.ts';
import type { AttemptReason } from '#routing';
import type { UpstreamFailure } from '#errors';
import { type Candidate, healthsOf } from '../candidate.ts';
import { formatUsd } from '#base';
import { AFTER_FAILURE, concernsCredential } from '#errors';
import { type Attempt, type AttemptEnding, type RouteTools, failureOf } from '../attempt-types.ts';

/** How long a provider is ranked last, at first, because a caller disconnected or another provider answered before it. */
const LATE_PAUSE_MS = 5_000;
/** If a caller disconnects sooner, the provider is not at fault. */
const LEAST_SILENCE_MS = 1_000;

interface RecordedCall {
  candidate: Candidate;
  /** The id of the organization's own key. */
  credentialId: string | undefined;
  attempt: Pick<Attempt, 'status' | 'spanId' | 'connectMs'>;
  reason: AttemptReason;
  waitedMs: number;
  startedMs: number;
  /** How long the first part was awaited before another mapping was called; absent if none could be. */
  limitMs: number | undefined;
  hasBegun: boolean;
  /** Whether it has stalled, which has been recorded. */
  isStalled?: true;
}

/** Records an attempt in the trip, the health of its mapping and the operator's log. */
export function recordAttempt(
  { ports, trip }: RouteTools,
  tried: RecordedCall,
  ending: AttemptEnding | 'outpaced',
): void {
  const { candidate, credentialId, attempt, reason, waitedMs, startedMs, hasBegun } = tried;
  const { status } = attempt;
  const nowMs = ports.clock.monotonicMs();
  const failure = ending === 'outpaced' ? undefined : failureOf(ending);
  const { providerId, externalId, price } = candidate.mapping;
  const record: AttemptRecord = {
    providerId,
    externalId,
    outcome: ending === 'outpaced' ? ending : (failure?.kind ?? (ending.type as AttemptRecord['outcome'])),
    startMs: Math.round(startedMs - trip.arrival.startedMs),
    durationMs: Math.round(nowMs - startedMs),
    reason,
  };
  if (trip.facts.trial) record.experiment = trip.facts.trial.name;
  if (waitedMs > 0) record.waitedMs = waitedMs;
  const connectMs = Math.round(attempt.connectMs ?? 0);
  if (connectMs > 0) record.connectMs = connectMs;
  if (record.outcome !== 'answered' && price) record.price = describePrice(price);
  if (status > 0) record.status = status;
  if (credentialId !== undefined) record.credential = 'own';
  else if (candidate.credential !== undefined) record.credential = candidate.credential;
  trip.attempts.push(record);
  trip.trace?.recordAttempt({ startedMs, endedMs: nowMs, spanId: attempt.spanId });
  const facts = { requestId: trip.arrival.requestId, providerId, externalId, reason, waitedMs };
  if (failure) {
    const { isAdaptive } = ports.live().routing;
    if (!tried.isStalled) recordFailure(candidate, failure, { nowMs, startedMs, hasBegun, isAdaptive });
    ports.telemetry.attemptFailed({ ...facts, durationMs: record.durationMs }, failure);
    return;
  }
  ports.telemetry.attemptEnded({ ...facts, durationMs: record.durationMs, outcome: record.outcome });
  if (ending !== 'outpaced' && ending.type === 'answered')
    recordSuccess(candidate, { startedMs, nowMs, hasBegun });
  else if (wasSilent(tried, ending, nowMs)) recordSilence(candidate, { nowMs, startedMs });
}

/** Counts a silence as a failure. If the provider has fallen silent, other calls that wait for it are notified. */
function recordSilence(
  candidate: Candidate,
  { nowMs, startedMs }: { nowMs: number; startedMs: number },
): void {
  const healths = healthsOf(candidate);
  for (const health of healths) health.fail(nowMs, { startedMs, pauseMs: LATE_PAUSE_MS });
  for (const { waiting } of healths) waiting.miss(startedMs, nowMs);
}

function describePrice({ parts }: Price): NonNullable<AttemptRecord['price']> {
  const format = (perToken: PicoUsd): string => formatUsd(perToken * 1_000_000n);
  return { input: format(parts.inputUncached), output: format(parts.outputText) };
}

type HealthOfCandidate = Pick<Candidate, 'health' | 'peers'>;

interface FailedCall {
  nowMs: number;
  startedMs: number;
  /** Whether its answer had begun. */
  hasBegun?: boolean;
  isAdaptive: boolean;
}

/** Counts an answer for the credential, and for the provider's others. */
export function recordSuccess(
  candidate: HealthOfCandidate,
  { startedMs, nowMs, hasBegun = false }: { startedMs: number; nowMs?: number; hasBegun?: boolean },
): void {
  for (const health of healthsOf(candidate)) {
    if (!hasBegun) health.begin(startedMs);
    health.succeed(startedMs, nowMs);
  }
}

/** Counts a stream that has stalled as a cut one, long before its timeout. */
export function recordStall(
  candidate: HealthOfCandidate,
  { nowMs, startedMs }: { nowMs: number; startedMs: number },
): void {
  for (const health of healthsOf(candidate))
    health.fail(nowMs, { startedMs, pauseMs: LATE_PAUSE_MS, hasBegun: true });
}

/** Counts a failure: for the credential if it is about that, else for all of the provider's. */
export function recordFailure(
  candidate: HealthOfCandidate,
  failure: UpstreamFailure,
  { nowMs, startedMs, hasBegun, isAdaptive }: FailedCall,
): void {
  const { kind, retryAfterSeconds } = failure;
  const { coolDownMs, next } = AFTER_FAILURE[kind];
  if (coolDownMs === 0) return;
  const isTold = isAdaptive && retryAfterSeconds !== undefined;
  const isOfCredential = concernsCredential(failure);
  for (const health of isOfCredential ? [candidate.health] : healthsOf(candidate))
    health.fail(nowMs, {
      startedMs,
      pauseMs: coolDownMs,
      isSporadic: hasBegun ? kind === 'broken' : next === 'repeat',
      ...(hasBegun && { hasBegun }),
      isOfCredential,
      ...(isTold && { retryAfterMs: retryAfterSeconds * 1_000 }),
    });
}

/** Whether it was silent for longer than usual when another began to answer, or when the caller disconnected. */
function wasSilent(tried: RecordedCall, ending: AttemptEnding | 'outpaced', nowMs: number): boolean {
  const { startedMs, limitMs = Infinity, hasBegun } = tried;
  const { health } = tried.candidate;
  if (ending === 'outpaced') return nowMs - startedMs >= limitMs;
  if (ending.type !== 'canceled' || hasBegun || health.hasSucceededSince(startedMs)) return false;
  const { firstEvent, longEvent, whole, longWhole } = health;
  const usualMs = Math.max(
    LEAST_SILENCE_MS,
    ...[firstEvent, longEvent, whole, longWhole].map(({ high }) => high),
  );
  return nowMs - startedMs > usualMs;
}
