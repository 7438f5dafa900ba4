import type { HttpHeaders, JsonObject } from '#base';
import type { CanonicalRequest } from '#canonical';
import type { Mapping } from '#catalogue';
import type { MemoryFormat } from '#wire';
import type { Arrival } from '../request/arrival.ts';
import type { Ports } from '../request/ports.ts';
import { estimatePrompt } from '../price/estimate-prompt.ts';
import { identify } from './identify.ts';
import { limitCount, limitUnread } from './limit.ts';
import { inTurn } from '../request/step-scheduler.ts';
import { permitObjects } from './permit-objects.ts';
import { permitCaller, permitMappings } from './mappings/permit.ts';
import { recall } from './recall.ts';
import { receive } from './receive.ts';
import { breakOff } from './refuse.ts';
import { LITTLE_PATIENCE_MS, settle } from './settle/settle.ts';
import { listCandidates } from '../attempt/candidate.ts';
import { askCounter } from '../attempt/ask-counter.ts';
import { NO_BILL, Trip } from '../request/trip.ts';

const COUNTER_LIMIT_MS = 5_000;

/** How a format requests a count and reads it. */
export interface CountFormat {
  decode(body: JsonObject, headers: HttpHeaders): CanonicalRequest;
  /** How a prompt continues a stored one. */
  memory?: MemoryFormat | undefined;
  encode(tokens: number): JsonObject;
}

/**
 * Counts a prompt's tokens: with the provider's counter if it has one, otherwise with a tokenizer's estimate. Free of
 * charge.
 */
export async function countTokens(ports: Ports, arrival: Arrival, counting: CountFormat): Promise<void> {
  const trip = new Trip(arrival);
  try {
    trip.set({ caller: await identify(ports.accounts, arrival.headers, { sessions: true }) });
    permitCaller(trip);
    await limitUnread(ports, trip);
    const received = await receive(arrival);
    trip.set({ received });
    const { body } = await recall(ports, trip, { received, memory: counting.memory });
    const { queue } = trip.facts;
    const request = await inTurn(queue, () => counting.decode(body, arrival.headers));
    trip.set({ request, inputEstimate: 0 });
    const mappings = permitMappings(ports, trip);
    if (mappings[0]) trip.set({ countedModelId: mappings[0].modelId });
    await limitCount(ports, trip);
    const tokens = (await askProviders(ports, trip, mappings)) ?? (await estimatePrompt(request, queue));
    const outcome = trip.close('answered', { bill: NO_BILL });
    await settle(ports, trip, { outcome, patienceMs: LITTLE_PATIENCE_MS });
    arrival.reply.send(200, { 'content-type': 'application/json' }, JSON.stringify(counting.encode(tokens)));
  } catch (thrown) {
    await breakOff(ports, trip, { thrown });
  }
}

async function askProviders(
  ports: Ports,
  trip: Trip,
  mappings: readonly Mapping[],
): Promise<number | undefined> {
  const tools = { ports, trip };
  for (const candidate of listCandidates(tools, await permitObjects(ports, trip, mappings))) {
    const counted = await askCounter(tools, candidate, COUNTER_LIMIT_MS);
    if (counted !== undefined) return counted;
  }
  return undefined;
}
