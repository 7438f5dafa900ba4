import type { Mapping } from '#catalogue';
import type { CachedAnswer } from '#cache';
import type { Arrival } from './arrival.ts';
import type { AttemptEnding, Attempted } from './attempt.ts';
import type { Delivery } from './delivery.ts';
import type { Metered } from './meter.ts';
import type { Ports } from './ports.ts';
import type { CacheSlot } from './replay.ts';
import { GatewayError, toCallerError, toGatewayError } from '#errors';
import { admit } from './admit.ts';
import { attempt } from './attempt.ts';
import { FanOut } from './fan-out.ts';
import { identify } from './identify.ts';
import { limit, showLimits } from './limit.ts';
import { keepPayload, recordReply, recordRequest } from './payload.ts';
import { permitAddress, permitMappings, permitRole } from './permit.ts';
import { plan } from './plan.ts';
import { createProgress } from './progress.ts';
import { measurePrompt } from './prompt-size.ts';
import { recall, remember } from './recall.ts';
import { receive } from './receive.ts';
import { NO_BILL, giveUp, refuse } from './refuse.ts';
import { land, replay } from './replay.ts';
import { openDelivery } from './reply.ts';
import { resolve } from './resolve.ts';
import { statusOf } from './send-error.ts';
import { LITTLE_PATIENCE_MS, settle } from './settle.ts';
import { Trip } from './trip.ts';

/**
 * The path of a generation: identify, receive, decode, resolve, limit, replay, plan, admit, attempt (meter and reply as
 * events pass), settle, and only then the last byte. Never rejects; every ending is closed once.
 */
export async function generate(ports: Ports, arrival: Arrival): Promise<void> {
  const trip = new Trip(arrival);
  let slot: CacheSlot | undefined;
  try {
    const prepared = await prepare(ports, trip);
    if (!prepared) return;
    slot = prepared.slot;
    const route = plan(ports, trip, prepared.mappings);
    await admit(ports, trip, route);
    const delivery = openDelivery(trip, slot !== undefined);
    const tools = { ports, trip, delivery, onProgress: createProgress(ports, trip) };
    const attempted = await (trip.get('request').choices === 1
      ? attempt(tools, route)
      : new FanOut(tools).run(route));
    await conclude(ports, trip, { ...attempted, delivery, slot });
  } catch (thrown) {
    if (trip.facts.caller?.limits) await showLimits(ports, trip);
    if (!trip.isClosed) await refuse(ports, trip, { error: toGatewayError(thrown) });
    else giveUp(trip, thrown);
  } finally {
    trip.facts.pass?.end(0);
    keepPayload(ports, trip);
    await land(ports, slot).catch(() => undefined);
  }
}

interface Prepared {
  mappings: readonly Mapping[];
  slot: CacheSlot | undefined;
}

/** Everything up to the plan; nothing where a replay has answered. A function of its own, so that the body's bytes do not outlive it. */
async function prepare(ports: Ports, trip: Trip): Promise<Prepared | undefined> {
  const { arrival } = trip;
  trip.note({ caller: await identify(ports.accounts, arrival.headers, { sessions: true }) });
  recordReply(trip, trip.get('caller'));
  permitRole(trip.get('caller'), 'call');
  permitAddress(trip.get('caller'), arrival.clientAddress);
  const received = await receive(arrival);
  recordRequest(trip, received.bytes);
  const { body, byteLength } = await recall(ports, trip, received);
  const request = arrival.format.decodeRequest(body, arrival.headers);
  const size = measurePrompt(request, byteLength);
  trip.note({ request, inputBound: size.bound, inputEstimate: size.estimate });
  const mappings = permitMappings(
    ports,
    trip,
    resolve(ports, { caller: trip.get('caller'), name: request.model }),
  );
  if (trip.get('caller').limits) await limit(ports, trip);
  const found = await replay(ports, trip, received.bytes);
  if (!found || 'slot' in found) return { mappings, slot: found?.slot };
  await sendReplay(ports, trip, { answer: found.answer, mappings });
  return undefined;
}

interface Conclusion extends Attempted {
  delivery: Delivery;
  slot: CacheSlot | undefined;
}

/** Settles how the attempts came out, then sends the end of the answer, or the error in its place. */
async function conclude(
  ports: Ports,
  trip: Trip,
  { ending, meter, delivery, slot }: Conclusion,
): Promise<void> {
  const error = toError(ending);
  if (error && !delivery.hasBegun && ending.type !== 'canceled') {
    await refuse(ports, trip, { error, bill: { ...meter.bill, customer: 0n } });
    return;
  }
  // A JSON answer that never went out delivered nothing.
  const bill =
    ending.type !== 'answered' && !delivery.hasBegun ? { ...meter.bill, customer: 0n } : meter.bill;
  const outcome = trip.close(ending.type === 'answered' || ending.type === 'canceled' ? ending.type : 'cut', {
    bill,
    ...(meter.finish && { finish: meter.finish }),
    ...(error && { error }),
  });
  if (error) trip.note({ status: delivery.hasBegun ? 200 : statusOf(trip.arrival.format, error) });
  try {
    await settle(ports, trip, { outcome });
  } catch (thrown) {
    delivery.fail(toUnsettled(thrown));
    return;
  }
  delivery.stop();
  if (ending.type === 'answered') await remember(ports, trip);
  if (ending.type === 'canceled') return;
  if (ending.type === 'answered' && slot) await land(ports, slot, toCached(trip, delivery, meter));
  delivery.finish();
}

/** The answer is complete and its cost is known, but not yet written; it will be, and the caller must not see an end before. */
function toUnsettled(thrown: unknown): GatewayError {
  const { facts } = toGatewayError(thrown);
  return new GatewayError(
    'store_unavailable',
    'the database went away before this answer was settled; it is charged once the database is back',
    facts,
  );
}

function toError(ending: AttemptEnding): GatewayError | undefined {
  switch (ending.type) {
    case 'answered':
      return undefined;
    case 'canceled':
      return new GatewayError('client_closed', 'the client left before the answer was complete');
    case 'unsayable':
      return ending.error;
    default:
      return toCallerError(ending.failure);
  }
}

function toCached(trip: Trip, delivery: Delivery, meter: Metered): CachedAnswer {
  const { providerId, externalId } = trip.get('mapping');
  return { ...delivery.transcript, finish: meter.finish?.reason ?? 'unknown', providerId, externalId };
}

interface Replayed {
  answer: CachedAnswer;
  mappings: readonly Mapping[];
}

async function sendReplay(ports: Ports, trip: Trip, { answer, mappings }: Replayed): Promise<void> {
  const mapping = mappings.find(
    ({ providerId, externalId }) => providerId === answer.providerId && externalId === answer.externalId,
  );
  if (mapping) trip.note({ mapping });
  const outcome = trip.close('replayed', { bill: NO_BILL, finish: { reason: answer.finish } });
  await settle(ports, trip, { outcome, patienceMs: LITTLE_PATIENCE_MS });
  trip.arrival.reply.send(
    200,
    { 'content-type': answer.contentType, 'cache-control': 'no-cache', 'x-gateway-cache': 'HIT' },
    answer.body,
  );
}
