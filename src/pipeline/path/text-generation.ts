import type { PicoUsd } from '#base';
import type { Mapping } from '#catalogue';
import type { Ports } from '../request/ports.ts';
import type { Trip } from '../request/trip.ts';
import type { AnswerOptions, OpenAnswer, RequestKind } from './request-kind.ts';
import { admit } from './admit.ts';
import { attempt } from '../attempt/attempt.ts';
import { findAccount } from '../attempt/candidate.ts';
import { boundCalls } from './bound-calls.ts';
import { countPrompt } from './count-prompt.ts';
import { findSentPrefix } from '../attempt/set-marks.ts';
import { FanOut } from '../attempt/fan-out.ts';
import { planTools } from '../price/hosted-tools.ts';
import { recordRequest } from './settle/payload.ts';
import { inTurn } from '../request/step-scheduler.ts';
import { permitMappings } from './mappings/permit.ts';
import { toGatewayError } from '#errors';
import { type CostedMapping, findCosts } from '../price/priceable-route.ts';
import { createProgress } from './settle/progress.ts';
import { measurePrompt } from '../price/measure-prompt.ts';
import { asksFresh, refuseForeignOptions } from '../request/options/foreign-options.ts';
import { nameModel } from '../request/options/name-model.ts';
import { readNames } from '../request/client/read-names.ts';
import { readPreferences } from '../request/options/preferences.ts';
import { addTrial } from './trial.ts';
import { recall } from './recall.ts';
import { explainShortage } from './refuse-thread.ts';
import { receive } from './receive.ts';
import { openDelivery } from '../answer/reply.ts';

/** A request for text, in any client format. */
export const textGeneration: RequestKind = {
  keepsPayloads: true,
  receive: receiveGeneration,
  permit: (ports, trip) => addTrial(ports, trip, permitMappings(ports, trip)),
  hold,
  answer,
};

async function receiveGeneration(ports: Ports, trip: Trip): Promise<Buffer> {
  const { arrival } = trip;
  const received = await receive(arrival);
  recordRequest(trip, received.bytes);
  trip.set({ received, names: readNames(arrival.headers, received.body) });
  refuseForeignOptions(received.body, arrival.headers, trip.get('caller'));
  if (asksFresh(received.body)) trip.set({ isFresh: true });
  const { memory } = arrival.format;
  const { body: whole, byteLength } = await recall(ports, trip, { received, memory });
  const body = nameModel(whole, arrival.model);
  if (body !== received.body) trip.takeReceived();
  const { request, size, sent } = await inTurn(trip.facts.queue, () => {
    const decoded = arrival.format.decodeRequest(body, arrival.headers);
    boundCalls(decoded);
    const sent = findSentPrefix(ports, trip, decoded);
    return { request: decoded, size: measurePrompt(decoded, byteLength), sent };
  });
  const preferences = readPreferences({
    body,
    headers: arrival.headers,
    model: request.model,
    format: arrival.format.id,
    defaults: trip.get('caller').routing,
  });
  trip.set({
    request,
    prompt: size,
    inputEstimate: size.estimate,
    ...sent,
    ...(preferences && { preferences }),
  });
  return received.bytes;
}

async function hold(ports: Ports, trip: Trip, planned: readonly Mapping[]): Promise<readonly Mapping[]> {
  const route = planTools(ports, trip, planned);
  const destinations = route.map((mapping) => ({ mapping, account: findAccount({ ports, trip }, mapping) }));
  let admitted: readonly CostedMapping[];
  try {
    admitted = await admitAffordable(ports, trip, findCosts(ports, trip, destinations));
  } catch (thrown) {
    if (!(await countPrompt(ports, trip, { route, thrown })))
      throw explainShortage(trip.get('request'), thrown);
    admitted = await admitAffordable(ports, trip, findCosts(ports, trip, destinations));
  }
  return admitted.length === route.length ? route : admitted.map(({ mapping }) => mapping);
}

/** Leaves out the most expensive models until the budget covers the others. */
async function admitAffordable(
  ports: Ports,
  trip: Trip,
  costs: readonly CostedMapping[],
): Promise<readonly CostedMapping[]> {
  try {
    await admit(ports, trip, costs);
    return costs;
  } catch (thrown) {
    const rest = dropMostExpensive(costs);
    if (rest.length === 0 || toGatewayError(thrown).status !== 402) throw thrown;
    return admitAffordable(ports, trip, rest);
  }
}

function dropMostExpensive(costs: readonly CostedMapping[]): readonly CostedMapping[] {
  const [first] = costs;
  if (!first || costs.every(({ mapping }) => mapping.modelId === first.mapping.modelId)) return [];
  const priceOf = ({ cost }: CostedMapping): PicoUsd => cost.price(cost.maxOutput);
  const mostExpensive = costs.reduce((most, each) => (priceOf(each) > priceOf(most) ? each : most));
  return costs.filter(({ mapping }) => mapping.modelId !== mostExpensive.mapping.modelId);
}

function answer(ports: Ports, trip: Trip, { route, keepTranscript }: AnswerOptions): OpenAnswer {
  const delivery = openDelivery(trip, keepTranscript);
  const tools = { ports, trip, delivery, onProgress: createProgress(ports, trip) };
  const isSingle = trip.get('request').choices === 1;
  return { attempted: isSingle ? attempt(tools, route) : new FanOut(tools).run(route), delivery };
}
