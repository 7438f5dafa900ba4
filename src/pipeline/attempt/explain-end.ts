import type { GenerationEvent } from '#canonical';
import type { GatewayError } from '#errors';
import type { Trip } from '../request/trip.ts';

/** Records that a budget limited the length of an answer, and reports it in the last event unless the caller opted out of metadata. */
export function explainEnd(trip: Trip, event: GenerationEvent, refusal: GatewayError): GenerationEvent {
  if (event.type !== 'generation-end' || event.finish.reason !== 'length') return event;
  trip.set({ shortage: refusal });
  if (trip.arrival.headers['x-no-metadata'] === 'true') return event;
  const { code, message } = refusal;
  return { ...event, finish: { ...event.finish, limitedBy: { code, message } } };
}
