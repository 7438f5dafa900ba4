import type { JsonObject } from '#base';
import type { CanonicalRequest } from '#canonical';
import type { Mapping } from '#catalogue';
import type { Provider } from '#providers';
import type { RequestHeaders } from '#wire';
import type { Arrival } from '../request/arrival.ts';
import type { Ports } from '../request/ports.ts';
import { parseJsonObject } from '#base';
import { decodeCountTokens, openCountExchange } from '#wire';
import { estimatePrompt } from '../price/estimate-prompt.ts';
import { identify } from './identify.ts';
import { limitCount, limitUnread } from './limit.ts';
import { inTurn } from '../request/pace.ts';
import { printBody } from '../request/print-body.ts';
import { permitObjects } from './permit-objects.ts';
import { permitCaller, permitMappings } from './permit.ts';
import { receive } from './receive.ts';
import { NO_BILL, breakOff } from './refuse.ts';
import { LITTLE_PATIENCE_MS, settle } from './settle.ts';
import { findProvider, listCandidates } from '../attempt/candidate.ts';
import { toTarget } from '../attempt/target.ts';
import { Trip } from '../request/trip.ts';

/** A count takes a few bytes; a longer answer is not a count. */
const MOST_PARTS = 16;
const COUNTER_LIMIT_MS = 5_000;

/** How a format requests a count and reads it. */
interface CountFormat {
  decode(body: JsonObject, headers: RequestHeaders): CanonicalRequest;
  encode(tokens: number): JsonObject;
}

const MESSAGES_COUNT: CountFormat = {
  decode: decodeCountTokens,
  encode: (tokens) => ({ input_tokens: tokens }),
};

/**
 * Counts a prompt's tokens: with the provider's counter if it has one, otherwise with a tokenizer's estimate. Free of
 * charge.
 */
export async function countTokens(
  ports: Ports,
  arrival: Arrival,
  counting: CountFormat = MESSAGES_COUNT,
): Promise<void> {
  const trip = new Trip(arrival);
  try {
    trip.set({ caller: await identify(ports.accounts, arrival.headers, { sessions: true }) });
    permitCaller(trip);
    const isLimited = trip.get('caller').limits !== undefined;
    if (isLimited) await limitUnread(ports, trip);
    const received = await receive(arrival);
    trip.set({ received, isHeavy: received.isHeavy });
    const { isHeavy } = received;
    const request = await inTurn(isHeavy, () => counting.decode(received.body, arrival.headers));
    trip.set({ request, inputEstimate: 0 });
    const mappings = permitMappings(ports, trip);
    if (isLimited) await limitCount(ports, trip);
    const tokens = (await askProviders(ports, trip, mappings)) ?? (await estimatePrompt(request, isHeavy));
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
  const request = trip.get('request');
  const tools = { ports, trip };
  for (const candidate of listCandidates(tools, await permitObjects(ports, trip, mappings))) {
    const { mapping } = candidate;
    const provider = mapping.dialect.countTokens && findProvider(tools, candidate);
    if (!provider) continue;
    const { isHeavy } = trip.facts;
    const exchange = await inTurn(isHeavy, () => openCountExchange(request, toTarget(mapping)));
    const body = await printBody(isHeavy, exchange.body);
    const counted = await askProvider(provider, { exchange, body });
    if (counted !== undefined) return counted;
  }
  return undefined;
}

interface Count {
  exchange: ReturnType<typeof openCountExchange>;
  body: string | Buffer;
}

async function askProvider(provider: Provider, { exchange, body: text }: Count): Promise<number | undefined> {
  const answer = Promise.withResolvers<JsonObject | undefined>();
  const parts: Buffer[] = [];
  let status = 0;
  const call = provider.transport.send(
    { path: exchange.path, headers: exchange.headers, body: text },
    {
      onHead: (given) => void (status = given),
      onData: (bytes) => {
        if (parts.length < MOST_PARTS) parts.push(bytes);
      },
      onEnd: () =>
        answer.resolve(status === 200 ? parseJsonObject(Buffer.concat(parts).toString('utf8')) : undefined),
      onFailure: () => answer.resolve(undefined),
    },
  );
  const limit = setTimeout(() => {
    call.abort();
    answer.resolve(undefined);
  }, COUNTER_LIMIT_MS);
  const body = await answer.promise;
  clearTimeout(limit);
  return body && exchange.decode(body);
}
