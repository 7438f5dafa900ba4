import type { Caller } from '#accounts';
import type { Ports } from '../request/ports.ts';
import type { Trip } from '../request/trip.ts';
import { MOST_PAYLOAD_BYTES } from '#logs';
import { hideCredentials } from './hide-credentials.ts';
import { RecordedReply } from '../request/recorded-reply.ts';

/** Starts recording what is sent to the caller, if its project keeps payloads. */
export function recordReply(trip: Trip, { payloadDays }: Caller): void {
  if (payloadDays === undefined) return;
  const recorded = new RecordedReply(trip.arrival.reply);
  trip.arrival = { ...trip.arrival, reply: recorded };
  trip.note({ recorded });
}

/** Copies the beginning: the whole body may be large and is released before the answer arrives. */
export function recordRequest({ facts }: Trip, bytes: Buffer): void {
  if (!facts.recorded) return;
  facts.recorded.request = {
    kept: Buffer.from(bytes.subarray(0, MOST_PAYLOAD_BYTES)),
    bytes: bytes.length,
  };
}

/** Stores the recorded payloads once everything is settled and sent. */
export function keepPayload(ports: Pick<Ports, 'payloads'>, { arrival, facts }: Trip): void {
  const { recorded, caller } = facts;
  if (!recorded || caller?.payloadDays === undefined) return;
  const { request, answer, status, contentType } = recorded;
  ports.payloads.keep({
    requestId: arrival.requestId,
    organizationId: caller.organizationId,
    projectId: caller.projectId,
    days: caller.payloadDays,
    request: { ...request, kept: hideCredentials(request.kept) },
    answer: { ...answer, kept: hideCredentials(answer.kept) },
    status,
    contentType,
  });
}
