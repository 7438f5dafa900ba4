import type { CachedAnswer } from '#cache';
import type { Mapping } from '#catalogue';
import type { UpstreamFailure } from '#errors';
import type { AttemptEnding, AttemptResult } from '../attempt/attempt-types.ts';
import type { AnswerEnd } from '../answer/delivery.ts';
import type { MeteredUsage } from '../price/meter.ts';
import type { Ports } from '../request/ports.ts';
import type { CacheSlot } from './replay.ts';
import { NO_BILL, type Trip } from '../request/trip.ts';
import { GatewayError, findBlame, toCallerError, toGatewayError } from '#errors';
import { saveCreatedObjects } from '../answer/save-created-objects.ts';
import { coverDebt } from '../price/cover-debt.ts';
import { listFailures } from '../attempt/list-failures.ts';
import { findKeptId, remember } from './recall.ts';
import { refuse, reportFault } from './refuse.ts';
import { release } from './replay.ts';
import { statusOf } from '../answer/send-error.ts';
import { LITTLE_PATIENCE_MS, settle } from './settle/settle.ts';

/** The result of the attempts, and where their answer goes. */
interface Conclusion extends AttemptResult {
  delivery: AnswerEnd;
  slot: CacheSlot | undefined;
}

/** Settles the attempts, then sends the end of the answer, or an error in its place. */
export async function conclude(
  ports: Ports,
  trip: Trip,
  { ending, meter, delivery, slot }: Conclusion,
): Promise<void> {
  const error = toError(ending, trip, { hasBegun: delivery.hasBegun, isStopped: ports.unattended.isStopped });
  // A JSON answer that was never sent delivered nothing.
  const isUndelivered = error !== undefined && !delivery.hasBegun;
  // A complete answer has covered its cost before its end.
  if (!isUndelivered && ending.type !== 'answered') await coverDebt(ports, trip, meter);
  const bill = isUndelivered ? { ...meter.bill, owed: 0n, customer: 0n } : meter.bill;
  if (isUndelivered && ending.type !== 'canceled') {
    await refuse(ports, trip, { error, bill });
    return;
  }
  const rest: Parameters<Trip['close']>[1] = { bill };
  if (meter.finish) rest.finish = meter.finish;
  if (error) rest.error = error;
  const isWhole = ending.type === 'answered' || ending.type === 'canceled';
  const outcome = trip.close(isWhole ? ending.type : 'cut', rest);
  if (error) {
    reportFault(ports, trip.arrival.requestId, error);
    trip.set({ status: delivery.hasBegun ? 200 : statusOf(trip.arrival.format, error) });
  }
  try {
    await settle(ports, trip, { outcome });
  } catch (thrown) {
    delivery.fail(toUnsettled(thrown));
    return;
  }
  delivery.stop();
  if (trip.facts.createdObjects) await saveCreatedObjects(ports, trip);
  if (ending.type === 'answered' && trip.facts.memory) await remember(ports, trip);
  if (ending.type === 'canceled') return;
  await delivery.print?.();
  // An answer cut short by a budget is not shared with other callers.
  if (ending.type === 'answered' && slot && !trip.facts.shortage) {
    // Coalesced callers share an empty answer, but it is not cached.
    if (isNothing(meter)) slot.ttlSeconds = 0;
    await release(ports, slot, toCached(trip, delivery, meter));
  }
  delivery.finish();
}

function isNothing({ hasDelivered, finish }: MeteredUsage): boolean {
  return !hasDelivered && finish?.reason !== 'tool-calls';
}

/**
 * The answer is complete and its cost known but not yet written; the caller must not see a normal end before it is.
 */
function toUnsettled(thrown: unknown): GatewayError {
  const { facts } = toGatewayError(thrown);
  return new GatewayError(
    'store_unavailable',
    'the database became unavailable before this answer was settled; it is charged once the database is back',
    facts,
  );
}

/** Where an answer was when it ended. */
interface AnswerState {
  hasBegun: boolean;
  /** The gateway has closed what was still open after its drain. */
  isStopped: boolean;
}

function toError(ending: AttemptEnding, trip: Trip, state: AnswerState): GatewayError | undefined {
  switch (ending.type) {
    case 'answered':
      return undefined;
    case 'canceled':
      return new GatewayError('client_closed', describeDisconnect(trip, state));
    case 'unsupported':
      return ending.error;
    case 'failed':
      return toCallerError(nameOthers(ending.failure, trip));
    default:
      return toCallerError(ending.failure);
  }
}

/** The message of the last provider, and why the others failed; a refusal stays as the provider words it. */
function nameOthers(failure: UpstreamFailure, { attempts }: Trip): UpstreamFailure {
  const failures = findBlame(failure.kind) === 'client' ? undefined : listFailures(attempts);
  return failures === undefined
    ? failure
    : { ...failure, message: `${failure.message} (called: ${failures})` };
}

/** Who pays for an answer whose connection ended; `ledger explain` shows it with the amounts. */
function describeDisconnect({ facts }: Trip, { hasBegun, isStopped }: AnswerState): string {
  const end = isStopped ? 'the gateway stopped' : 'the client disconnected';
  if (facts.dispatchedMs === undefined) return `${end} before a provider was called`;
  return hasBegun
    ? `${end} before the answer was complete; the client pays what the provider bills for it`
    : `${end} before the answer began; the operator pays what the provider bills for it`;
}

function toCached(trip: Trip, { transcript }: AnswerEnd, meter: MeteredUsage): CachedAnswer {
  const { providerId, externalId } = trip.get('mapping');
  const keptId = findKeptId(trip);
  return {
    ...transcript,
    finish: meter.finish?.reason ?? 'unknown',
    providerId,
    externalId,
    ...(keptId !== undefined && { keptId }),
  };
}

interface Replayed {
  answer: CachedAnswer;
  mappings: readonly Mapping[];
}

/** Sends the answer of a byte-identical earlier request, free of charge. */
export async function sendReplay(ports: Ports, trip: Trip, { answer, mappings }: Replayed): Promise<void> {
  const mapping = mappings.find(
    ({ providerId, externalId }) => providerId === answer.providerId && externalId === answer.externalId,
  );
  if (mapping) trip.set({ mapping });
  const outcome = trip.close('replayed', { bill: NO_BILL, finish: { reason: answer.finish } });
  await settle(ports, trip, { outcome, patienceMs: LITTLE_PATIENCE_MS });
  trip.arrival.reply.send(
    200,
    { 'content-type': answer.contentType, 'cache-control': 'no-cache', 'x-gateway-cache': 'HIT' },
    answer.body,
  );
}
