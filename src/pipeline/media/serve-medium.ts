import type { Mapping } from '#catalogue';
import type { Medium } from '#media';
import type { Arrival } from '../request/arrival.ts';
import type { Ports } from '../request/ports.ts';
import type { CacheSlot } from '../path/replay.ts';
import { readPriceValue } from '#canonical';
import { listAccountObjects } from '#media';
import { admitMedium, boundMappings } from './admit-medium.ts';
import { attemptMedium } from './attempt-medium.ts';
import { conclude, sendReplay } from '../path/conclude.ts';
import { identify } from '../path/identify.ts';
import { limit, limitUnread } from '../path/limit.ts';
import { MediumDelivery } from './medium-delivery.ts';
import { inTurn } from '../request/pace.ts';
import { permitObjects } from '../path/permit-objects.ts';
import { permitCaller, permitMappings } from '../path/permit.ts';
import { plan } from '../path/plan.ts';
import { selectPriceableMedium } from '../price/priceable-route.ts';
import { receiveMedium } from './receive-medium.ts';
import { breakOff } from '../path/refuse.ts';
import { land, mayReplay, replay } from '../path/replay.ts';
import { describeTiming } from '../answer/reply.ts';
import { Trip } from '../request/trip.ts';

/**
 * The path of every request that is no text generation: as `generate`, but its answer is passed on as a whole, as events or
 * as bytes. Never rejects; every ending is closed once.
 */
export async function serveMedium(ports: Ports, arrival: Arrival, medium: Medium): Promise<void> {
  const trip = new Trip(arrival);
  let slot: CacheSlot | undefined;
  try {
    const prepared = await prepare(ports, trip, medium);
    if (!prepared) return;
    slot = prepared.slot;
    const permitted = await permitObjects(ports, trip, prepared.mappings);
    const route = selectPriceableMedium(ports, trip, plan(ports, trip, permitted));
    await admitMedium(ports, trip, route);
    const delivery = new MediumDelivery(arrival, () => describeTiming(trip));
    const attempted = await attemptMedium({ ports, trip, delivery }, route);
    await conclude(ports, trip, { ...attempted, delivery, slot });
  } catch (thrown) {
    await breakOff(ports, trip, { thrown });
  } finally {
    trip.facts.pass?.end(0);
    if (slot) await land(ports, slot).catch(() => undefined);
  }
}

interface Prepared {
  mappings: readonly Mapping[];
  slot: CacheSlot | undefined;
}

/** Everything up to the plan; nothing where a replay has answered. */
async function prepare(ports: Ports, trip: Trip, medium: Medium): Promise<Prepared | undefined> {
  const { arrival } = trip;
  trip.note({ caller: await identify(ports.accounts, arrival.headers, { sessions: true }) });
  permitCaller(trip);
  if (trip.get('caller').limits) await limitUnread(ports, trip);
  const { bytes, input, isHeavy } = await receiveMedium(arrival, medium.intake);
  trip.note({ received: { bytes, body: input.body }, isHeavy });
  const decoded = await inTurn(isHeavy, () => medium.decode(input));
  const serviceTier = readPriceValue(input.body['service_tier']);
  const task = { ...decoded, ...listAccountObjects(input.body), ...(serviceTier && { serviceTier }) };
  trip.takeReceived();
  trip.note({ task, inputEstimate: task.inputEstimate });
  const permitted = permitMappings(ports, trip, medium.operation);
  const mappings = boundMappings(task, permitted);
  if (trip.get('caller').limits) await limit(ports, trip);
  const found = task.isReplayable && mayReplay(trip) ? await replay(ports, trip, bytes) : undefined;
  if (!found || 'slot' in found) return { mappings, slot: found?.slot };
  await sendReplay(ports, trip, { answer: found.answer, mappings });
  return undefined;
}
