import type { JsonObject } from '#base';
import type { AttemptRecord, Trip } from './trip.ts';

const HEADER = 'x-gateway-attempts';

type Call = Pick<AttemptRecord, 'providerId' | 'externalId' | 'reason' | 'waitedMs'>;

/** Puts the calls of a request into a header of its answer: `first;reason=cheapest;outcome=broken, second;reason=next`. */
export function addAttemptsHeader(trip: Trip): void {
  const { answering } = trip.facts;
  const calls = trip.attempts.map((note) => describe(note, note.outcome));
  if (answering) calls.push(describe(answering));
  if (calls.length > 0) trip.arrival.reply.addHeader(HEADER, calls.join(', '));
}

function describe({ providerId, reason, waitedMs }: Call, outcome?: string): string {
  let text = providerId;
  if (reason !== undefined) text += `;reason=${reason}`;
  if (waitedMs !== undefined) text += `;wait=${waitedMs}`;
  if (outcome !== undefined) text += `;outcome=${outcome}`;
  return text;
}

/** The same for the metadata of a Chat answer, which the last of them gives. */
export function listAttempts({ attempts, facts: { answering } }: Trip): JsonObject[] {
  const calls = attempts.map((note) => toMember(note, note.outcome));
  if (answering) calls.push(toMember(answering, 'answered'));
  return calls;
}

function toMember({ providerId, externalId, reason, waitedMs }: Call, outcome: string): JsonObject {
  const member: JsonObject = { provider: providerId, model: externalId, outcome };
  if (reason !== undefined) member['reason'] = reason;
  if (waitedMs !== undefined) member['wait_ms'] = waitedMs;
  return member;
}
