import type { GenerationEvent } from '#canonical';
import type { GatewayError } from '#errors';
import type { Trip } from '../request/trip.ts';

/** Notes that a budget ended an answer at its length, and says so at its end unless the caller wants no metadata. */
export function explainEnd(trip: Trip, event: GenerationEvent, refusal: GatewayError): GenerationEvent {
  if (event.type !== 'generation-end' || event.finish.reason !== 'length') return event;
  trip.set({ shortage: refusal });
  if (trip.arrival.headers['x-no-metadata'] === 'true') return event;
  const { code, message } = refusal;
  return { ...event, finish: { ...event.finish, limitedBy: { code, message } } };
}
