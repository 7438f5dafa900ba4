import type { Medium } from '#media';
import type { Ports } from '../request/ports.ts';
import type { Trip } from '../request/trip.ts';
import type { AnswerOptions, OpenAnswer, RequestKind } from '../path/request-kind.ts';
import { readPriceValue } from '#canonical';
import { listAccountObjects } from '#media';
import { admitMedium, boundMappings } from './admit-medium.ts';
import { attemptMedium } from './attempt-medium.ts';
import { MediumDelivery } from './medium-delivery.ts';
import { inTurn } from '../request/step-scheduler.ts';
import { permitMappings } from '../path/mappings/permit.ts';
import { selectPriceableMedium } from '../price/priceable-route.ts';
import { asksFresh, refuseForeignOptions } from '../request/options/foreign-options.ts';
import { nameModel } from '../request/options/name-model.ts';
import { readNames } from '../request/client/read-names.ts';
import { receiveMedium } from './receive-medium.ts';
import { describeTiming } from '../answer/reply.ts';

/** A request for another medium than text; its answer is passed on whole, as events or as bytes. */
export function createMediumKind(medium: Medium): RequestKind {
  return {
    keepsPayloads: false,
    receive: (_ports, trip) => receiveTask(trip, medium),
    permit: (ports, trip) => boundMappings(trip.get('task'), permitMappings(ports, trip, medium.operation)),
    hold: async (ports, trip, planned) => {
      const route = selectPriceableMedium(ports, trip, planned);
      await admitMedium(ports, trip, route);
      return route;
    },
    answer,
  };
}

async function receiveTask(trip: Trip, medium: Medium): Promise<Buffer> {
  const { bytes, input: given, queue } = await receiveMedium(trip.arrival, medium.intake);
  const input = { ...given, body: nameModel(given.body, trip.arrival.model) };
  const names = readNames(trip.arrival.headers, input.body);
  trip.set({ received: { bytes, body: input.body }, queue, names });
  refuseForeignOptions(input.body, trip.arrival.headers, {}); // no payloads of media are stored
  if (asksFresh(input.body)) trip.set({ isFresh: true });
  const decoded = await inTurn(queue, () => medium.decode(input));
  const serviceTier = readPriceValue(input.body['service_tier']);
  const task = { ...decoded, ...listAccountObjects(input.body), ...(serviceTier && { serviceTier }) };
  trip.takeReceived();
  trip.set({ task, inputEstimate: task.inputEstimate });
  return bytes;
}

function answer(ports: Ports, trip: Trip, { route }: AnswerOptions): OpenAnswer {
  const delivery = new MediumDelivery(trip.arrival, () => describeTiming(trip));
  return { attempted: attemptMedium({ ports, trip, delivery }, route), delivery };
}
