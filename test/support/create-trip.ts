import { getInboundFormat } from '#wire';
import type { Arrival } from '../../src/pipeline/request/arrival.ts';
import { Trip, type TripFacts } from '../../src/pipeline/request/trip.ts';

/** A client that reads all of it. */
export const REPLY = {
  addHeader: () => undefined,
  isOver: false,
  onGone: () => undefined,
  offGone: () => undefined,
};

export const CALLER = { keyId: 'k', keyLabel: 'k', organizationId: 'o', projectId: 'p' };

/** A trip of `CALLER` with these facts. Of its arrival, a test names what it depends on. */
export function createTrip(facts: Partial<TripFacts> = {}, arrival: object = {}): Trip {
  const usual = { requestId: 'req_1', endpoint: '/v1/messages', headers: {}, startedAt: 0, startedMs: 0 };
  const format = getInboundFormat('messages');
  const trip = new Trip({ ...usual, format, reply: REPLY, ...arrival } as unknown as Arrival);
  trip.set({ caller: CALLER, ...facts });
  return trip;
}
