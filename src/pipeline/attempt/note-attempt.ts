import type { Price } from '#catalogue';
import type { PicoUsd } from '#base';
import type { AttemptNote } from '../request/trip.ts';
import type { MappingHealth, Reason } from '#routing';
import type { UpstreamFailure } from '#errors';
import type { Candidate } from './candidate.ts';
import { formatUsd } from '#base';
import { AFTER_FAILURE } from '#errors';
import { type AttemptEnding, type RouteTools, failureOf } from './try-route.ts';

/** A provider that let a caller or another provider go first: ranked last for so long at first. */
const LATE_PAUSE_MS = 5_000;
/** Who leaves sooner says nothing about the provider. */
const LEAST_SILENCE_MS = 1_000;

interface Tried {
  candidate: Candidate;
  /** Of the organization's own key. */
  credentialId: string | undefined;
  ending: AttemptEnding | 'outpaced';
  status: number;
  reason: Reason;
  waitedMs: number;
  startedMs: number;
  /** How long the first part was awaited before another mapping was called; absent if none could be. */
  limitMs: number | undefined;
  hasBegun: boolean;
  /** Its span, if the provider was sent it. */
  spanId: string | undefined;
}

/** Records an attempt in the trip, the health of its mapping and the operator's log. */
export function noteAttempt({ ports, trip }: RouteTools, tried: Tried): void {
  const { candidate, credentialId, ending, status, reason, waitedMs, startedMs } = tried;
  const nowMs = ports.clock.monotonicMs();
  const failure = ending === 'outpaced' ? undefined : failureOf(ending);
  const { providerId, externalId, price } = candidate.mapping;
  const note: AttemptNote = {
    providerId,
    externalId,
    outcome: ending === 'outpaced' ? ending : (failure?.kind ?? (ending.type as AttemptNote['outcome'])),
    startMs: Math.round(startedMs - trip.arrival.startedMs),
    durationMs: Math.round(nowMs - startedMs),
    reason,
  };
  if (trip.facts.trial) note.experiment = trip.facts.trial.name;
  if (waitedMs > 0) note.waitedMs = Math.round(waitedMs);
  if (note.outcome !== 'answered' && price) note.price = describePrice(price);
  if (status > 0) note.status = status;
  if (credentialId !== undefined) note.credential = 'own';
  else if (candidate.credential !== undefined) note.credential = candidate.credential;
  trip.attempts.push(note);
  trip.trace?.noteAttempt({ startedMs, endedMs: nowMs, spanId: tried.spanId });
  const facts = { requestId: trip.arrival.requestId, providerId, externalId, reason, waitedMs };
  const { health } = candidate;
  if (failure) {
    noteFailure(health, failure, { nowMs, startedMs, isAdaptive: ports.live().routing.isAdaptive });
    ports.telemetry.attemptFailed({ ...facts, durationMs: note.durationMs }, failure);
    return;
  }
  ports.telemetry.attemptEnded({ ...facts, durationMs: note.durationMs, outcome: note.outcome });
  if (ending !== 'outpaced' && ending.type === 'answered') health.succeed(startedMs);
  else if (wasSilent(tried, nowMs, health)) health.fail(nowMs, { startedMs, pauseMs: LATE_PAUSE_MS });
}

function describePrice({ parts }: Price): NonNullable<AttemptNote['price']> {
  const format = (perToken: PicoUsd): string => formatUsd(perToken * 1_000_000n);
  return { input: format(parts.inputUncached), output: format(parts.outputText) };
}

function noteFailure(
  health: MappingHealth,
  { kind, retryAfterSeconds }: UpstreamFailure,
  { nowMs, startedMs, isAdaptive }: { nowMs: number; startedMs: number; isAdaptive: boolean },
): void {
  const { coolDownMs } = AFTER_FAILURE[kind];
  if (coolDownMs === 0) return;
  const isTold = isAdaptive && retryAfterSeconds !== undefined;
  health.fail(nowMs, {
    startedMs,
    pauseMs: coolDownMs,
    isSporadic: kind === 'broken',
    ...(isTold && { retryAfterMs: retryAfterSeconds * 1_000 }),
  });
}

/** Whether it was silent for longer than usual when another began to answer, or when the caller left. */
function wasSilent(tried: Tried, nowMs: number, health: MappingHealth): boolean {
  const { ending, startedMs, limitMs = Infinity, hasBegun } = tried;
  if (ending === 'outpaced') return nowMs - startedMs >= limitMs;
  if (ending.type !== 'canceled' || hasBegun || health.hasSucceededSince(startedMs)) return false;
  const usualMs = Math.max(health.firstEvent.high, health.whole.high, LEAST_SILENCE_MS);
  return nowMs - startedMs > usualMs;
}
