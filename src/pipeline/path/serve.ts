import type { Mapping } from '#catalogue';
import type { AttemptResult } from '../attempt/attempt-types.ts';
import type { Arrival } from '../request/arrival.ts';
import type { Ports } from '../request/ports.ts';
import type { CacheSlot } from './replay.ts';
import type { RequestKind } from './request-kind.ts';
import { conclude, sendReplay } from './conclude.ts';
import { identify } from './identify.ts';
import { limit, limitUnread } from './limit.ts';
import { type PlannedCopy, planCopy } from './mirror.ts';
import { keepPayload, recordReply } from './settle/payload.ts';
import { permitObjects } from './permit-objects.ts';
import { permitCaller } from './mappings/permit.ts';
import { plan } from './mappings/plan.ts';
import { breakOff } from './refuse.ts';
import { mayReplay, release, replay } from './replay.ts';
import { toPreferences } from '../request/options/preferences.ts';
import { Trip } from '../request/trip.ts';
import { whileConnected } from '../request/while-connected.ts';

/**
 * The path of a request: identify, receive, decode, permit, limit, replay, plan, hold, attempt (meter and reply as events
 * pass), settle, and only then the last byte. Never rejects; every ending is closed once.
 */
export async function serve(ports: Ports, arrival: Arrival, kind: RequestKind): Promise<void> {
  const trip = new Trip(arrival, ports.telemetry.startTrace?.(arrival.headers, arrival.startedMs));
  let slot: CacheSlot | undefined;
  let copy: PlannedCopy | undefined;
  try {
    const prepared = await prepare(ports, trip, kind);
    if (!prepared) return;
    ({ slot, copy } = prepared);
    const permitted = await permitObjects(ports, trip, prepared.mappings);
    const route = await kind.hold(ports, trip, plan(ports, trip, permitted));
    const { attempted, delivery } = kind.answer(ports, trip, { route, keepTranscript: slot !== undefined });
    const { ending, meter } = await (slot ? leading(ports, trip, { slot, attempted }) : attempted);
    await conclude(ports, trip, { ending, meter, delivery, slot });
  } catch (thrown) {
    await breakOff(ports, trip, { thrown });
  } finally {
    trip.facts.limiterSlot?.end(0);
    keepPayload(ports, trip);
    if (slot) await release(ports, slot).catch(() => undefined);
    copy?.send(serve);
  }
}

/** Requests that wait for this answer stop waiting when its caller disconnects. */
async function leading(
  ports: Ports,
  { arrival: { reply } }: Trip,
  { slot, attempted }: { slot: CacheSlot; attempted: Promise<AttemptResult> },
): Promise<AttemptResult> {
  return whileConnected(reply, () => void release(ports, slot), attempted);
}

interface Prepared {
  mappings: readonly Mapping[];
  slot: CacheSlot | undefined;
  copy: PlannedCopy | undefined;
}

/** Everything up to the plan; undefined where the cache has answered. A function of its own, so that the body can be freed. */
async function prepare(ports: Ports, trip: Trip, kind: RequestKind): Promise<Prepared | undefined> {
  const caller =
    kind.identify?.() ?? (await identify(ports.accounts, trip.arrival.headers, { sessions: true }));
  trip.set({ caller, ...(caller.routing && { preferences: toPreferences(caller.routing) }) });
  if (kind.keepsPayloads) recordReply(trip, caller);
  permitCaller(trip);
  await limitUnread(ports, trip);
  const bytes = await kind.receive(ports, trip);
  const mappings = kind.permit(ports, trip);
  await limit(ports, trip);
  const found = mayReplay(trip) ? await replay(ports, trip, bytes) : undefined;
  if (!found || 'slot' in found)
    return { mappings, slot: found?.slot, copy: planCopy(ports, trip, { kind, bytes }) };
  await sendReplay(ports, trip, { answer: found.answer, mappings });
  return undefined;
}
