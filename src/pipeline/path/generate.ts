import type { Mapping } from '#catalogue';
import type { Arrival } from '../request/arrival.ts';
import type { Ports } from '../request/ports.ts';
import type { CacheSlot } from './replay.ts';
import { admit } from './admit.ts';
import { attempt } from '../attempt/attempt.ts';
import { boundCalls } from './bound-calls.ts';
import { conclude, sendReplay } from './conclude.ts';
import { FanOut } from '../attempt/fan-out.ts';
import { planTools } from '../price/hosted-tools.ts';
import { identify } from './identify.ts';
import { isHeavy } from '../request/json-limits.ts';
import { limit, limitUnread } from './limit.ts';
import { keepPayload, recordReply, recordRequest } from './payload.ts';
import { inTurn } from '../request/pace.ts';
import { permitObjects } from './permit-objects.ts';
import { permitCaller, permitMappings } from './permit.ts';
import { plan } from './plan.ts';
import { findCosts } from '../price/priceable-route.ts';
import { createProgress } from './progress.ts';
import { measurePrompt } from '../price/prompt-size.ts';
import { recall } from './recall.ts';
import { receive } from './receive.ts';
import { breakOff } from './refuse.ts';
import { land, mayReplay, replay } from './replay.ts';
import { openDelivery } from '../answer/reply.ts';
import { Trip } from '../request/trip.ts';

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
    const permitted = await permitObjects(ports, trip, prepared.mappings);
    const route = await hold(ports, trip, planTools(ports, trip, plan(ports, trip, permitted)));
    const delivery = openDelivery(trip, slot !== undefined);
    const tools = { ports, trip, delivery, onProgress: createProgress(ports, trip) };
    const attempted = await (trip.get('request').choices === 1
      ? attempt(tools, route)
      : new FanOut(tools).run(route));
    await conclude(ports, trip, { ...attempted, delivery, slot });
  } catch (thrown) {
    await breakOff(ports, trip, { thrown });
  } finally {
    trip.facts.pass?.end(0);
    keepPayload(ports, trip);
    if (slot) await land(ports, slot).catch(() => undefined);
  }
}

/** Holds what the request may cost; gives the mappings at which that is known. */
async function hold(ports: Ports, trip: Trip, route: readonly Mapping[]): Promise<readonly Mapping[]> {
  const costs = findCosts(ports, trip, route);
  await admit(ports, trip, costs);
  return costs.length === route.length ? route : costs.map(({ mapping }) => mapping);
}

interface Prepared {
  mappings: readonly Mapping[];
  slot: CacheSlot | undefined;
}

/**
 * Everything up to the plan; nothing where a replay has answered. Of what it makes, only what is noted is kept in memory while
 * the answer is awaited.
 */
async function prepare(ports: Ports, trip: Trip): Promise<Prepared | undefined> {
  const { arrival } = trip;
  trip.note({ caller: await identify(ports.accounts, arrival.headers, { sessions: true }) });
  recordReply(trip, trip.get('caller'));
  permitCaller(trip);
  if (trip.get('caller').limits) await limitUnread(ports, trip);
  const received = await receive(arrival);
  recordRequest(trip, received.bytes);
  trip.note({ received });
  const { memory } = arrival.format;
  const { body, byteLength } = memory
    ? await recall(ports, trip, { received, memory })
    : { body: received.body, byteLength: received.bytes.length };
  trip.note({ isHeavy: received.isHeavy || isHeavy(byteLength) });
  if (body !== received.body) trip.takeReceived();
  const { request, size } = await inTurn(trip.facts.isHeavy, () => {
    const decoded = arrival.format.decodeRequest(body, arrival.headers);
    boundCalls(decoded);
    return { request: decoded, size: measurePrompt(decoded, byteLength) };
  });
  trip.note({ request, inputBound: size.bound, images: size.images, inputEstimate: size.estimate });
  const mappings = permitMappings(ports, trip);
  if (trip.get('caller').limits) await limit(ports, trip);
  const found = mayReplay(trip) ? await replay(ports, trip, received.bytes) : undefined;
  if (!found || 'slot' in found) return { mappings, slot: found?.slot };
  await sendReplay(ports, trip, { answer: found.answer, mappings });
  return undefined;
}
