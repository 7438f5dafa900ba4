import type { Caller } from '#accounts';
import type { JsonObject } from '#base';
import type { Mapping, Operation } from '#catalogue';
import type { LogRow } from '#logs';
import type { Arrival } from '../request/arrival.ts';
import type { Ports } from '../request/ports.ts';
import { identify } from './identify.ts';
import { limit, limitUnread } from './limit.ts';
import { permitCaller, permitMappings } from './mappings/permit.ts';
import { selectByCredential } from './mappings/plan.ts';
import { breakOff } from './refuse.ts';
import { toOpenRow } from './settle/row.ts';
import { LITTLE_PATIENCE_MS, settle } from './settle/settle.ts';
import { NO_BILL, Trip } from '../request/trip.ts';

/** An order that its caller may place. */
interface AdmittedOrder<Order> {
  caller: Caller;
  order: Order;
  /** The mappings that can carry it out: able, priced, callable and allowed. */
  mappings: readonly Mapping[];
  /** Its log row as far as it is known. */
  row: LogRow;
  /** Called once the job has taken over hold, row and bill: later failures leave no row of their own. */
  onTaken(): void;
}

/** Work that outlives its request. */
interface OrderKind<Order extends { model: string }> {
  operation: Operation;
  decode(arrival: Arrival): Promise<Order>;
  /** `isReplay`: no new job was started. */
  perform(admitted: AdmittedOrder<Order>): Promise<{ body: JsonObject; isReplay: boolean }>;
}

/** The path of an order: as for a generation up to the hold, then `perform` takes over. Never rejects. */
export async function serveOrder<Order extends { model: string }>(
  ports: Ports,
  arrival: Arrival,
  kind: OrderKind<Order>,
): Promise<void> {
  const trip = new Trip(arrival);
  const work = { isTaken: false };
  try {
    const caller = await identify(ports.accounts, arrival.headers, { sessions: true });
    trip.set({ caller });
    permitCaller(trip);
    await limitUnread(ports, trip);
    const order = await kind.decode(arrival);
    trip.set({ order: { model: order.model, stream: false }, inputEstimate: 0 });
    const mappings = selectByCredential(ports, trip, permitMappings(ports, trip, kind.operation));
    await limit(ports, trip);
    const row = toOpenRow(trip, mappings[0]);
    const onTaken = (): void => void (work.isTaken = true);
    const { body, isReplay } = await kind.perform({ caller, order, mappings, row, onTaken });
    if (isReplay) await recordReplay(ports, trip);
    arrival.reply.send(200, { 'content-type': 'application/json' }, JSON.stringify(body));
  } catch (thrown) {
    await breakOff(ports, trip, { thrown, isRowed: () => trip.isClosed || work.isTaken });
  } finally {
    trip.facts.limiterSlot?.end(0);
  }
}

async function recordReplay(ports: Ports, trip: Trip): Promise<void> {
  const outcome = trip.close('replayed', { bill: NO_BILL });
  await settle(ports, trip, { outcome, patienceMs: LITTLE_PATIENCE_MS });
}
