import type { JsonObject } from '#base';
import type { Caller } from '#accounts';
import type { MemoryFormat, RecalledConversation } from '#wire';
import type { Ports } from '../request/ports.ts';
import type { ReceivedBody } from './receive.ts';
import type { Trip } from '../request/trip.ts';
import { holderOf } from '#accounts';
import { GatewayError } from '#errors';
import { isHeavy } from '../request/json-limits.ts';
import { queueOf } from '../request/step-scheduler.ts';
import { printText } from '../request/print-body.ts';
import { saveInTime } from '../request/save-in-time.ts';

/** A body with its whole conversation, and its size. */
interface Whole {
  body: JsonObject;
  byteLength: number;
}

/** The body of a request, with the conversation that it refers to if its format remembers any; records how large it is. */
export function recall(
  ports: Ports,
  trip: Trip,
  { received, memory }: { received: ReceivedBody; memory: MemoryFormat | undefined },
): Whole | Promise<Whole> {
  const { body, bytes } = received;
  trip.set({ queue: received.queue });
  return memory ? joinPast(ports, trip, { received, memory }) : { body, byteLength: bytes.length };
}

/** Inserts the conversation, and records what to store of it. */
async function joinPast(
  ports: Ports,
  trip: Trip,
  { received, memory }: { received: ReceivedBody; memory: MemoryFormat },
): Promise<Whole> {
  const { bytes, body } = received;
  const { previousId, itemIds, isKept } = memory.read(body);
  const recalled: RecalledConversation = {
    past: previousId === undefined ? [] : await recallPast(ports, trip, previousId),
    items:
      itemIds.length === 0
        ? new Map()
        : await ports.conversations.findItems(itemIds, tenantOf(trip.get('caller'))),
  };
  const joined = memory.join(body, recalled);
  if (isKept) {
    const input = await printText(received.queue, joined.added);
    trip.set({ memory: { input, ...(previousId !== undefined && { previousId }) } });
  }
  const isGrown = joined.body !== body;
  const byteLength = isGrown ? Buffer.byteLength(await printText(received.queue, joined.body)) : bytes.length;
  if (isHeavy(byteLength)) trip.set({ queue: queueOf(trip.arrival.tenant, true) });
  return { body: joined.body, byteLength };
}

/**
 * Whose conversations a caller can continue: its project's, or the session token holder's, which the project's keys
 * cannot see.
 */
function tenantOf(caller: Caller): { projectId: string } {
  const { projectId } = caller;
  const holder = holderOf(caller);
  return { projectId: holder === undefined ? projectId : `${projectId}/${holder}` };
}

async function recallPast(
  ports: Ports,
  trip: Trip,
  previousId: string,
): Promise<RecalledConversation['past']> {
  const past = await ports.conversations.recall(previousId, tenantOf(trip.get('caller')));
  if (past) return past;
  throw new GatewayError(
    'previous_response_not_found',
    `no response with the id ${JSON.stringify(previousId.slice(0, 100))} is stored here (responses are kept for 30 days, unless deleted or created with store: false)`,
    { param: 'previous_response_id' },
  );
}

/** Whether a cached answer's stored response still exists: a deleted one must not be replayed. */
export async function isStillKept(ports: Ports, trip: Trip, id: string): Promise<boolean> {
  return (await ports.conversations.find(id, tenantOf(trip.get('caller')))) !== undefined;
}

/** The id of the response stored for a trip. */
export function findKeptId({ facts: { memory } }: Trip): string | undefined {
  const id = memory?.answer?.['id'];
  return typeof id === 'string' ? id : undefined;
}

/** Stores a complete answer; if that fails, it cannot be retrieved. */
export async function remember(ports: Ports, trip: Trip): Promise<void> {
  const { memory, caller } = trip.facts;
  if (!memory?.answer || !caller) return;
  const { answer, ...rest } = memory;
  const id = findKeptId(trip) ?? '';
  const kept = { id, response: answer, ...rest };
  await saveInTime(ports, trip, ports.conversations.save(kept, tenantOf(caller)));
}
