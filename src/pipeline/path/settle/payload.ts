import type { Caller } from '#accounts';
import type { Ports } from '../../request/ports.ts';
import type { PayloadText } from '#logs';
import type { Trip } from '../../request/trip.ts';
import { MOST_PAYLOAD_BYTES } from '#logs';
import { hideCredentials } from './hide-credentials.ts';
import { RecordedReply } from '../../request/recorded-reply.ts';

/** Starts recording the reply, if the project keeps payloads. */
export function recordReply(trip: Trip, { payloadDays }: Caller): void {
  if (payloadDays === undefined) return;
  const recorded = new RecordedReply(trip.arrival.reply);
  trip.arrival = { ...trip.arrival, reply: recorded };
  trip.set({ recorded });
  trip.trace?.expectBodies();
}

/** Copies the beginning: the whole body may be large and is released before the answer arrives. */
export function recordRequest({ facts }: Trip, bytes: Buffer): void {
  if (!facts.recorded) return;
  facts.recorded.request = {
    kept: Buffer.from(bytes.subarray(0, MOST_PAYLOAD_BYTES)),
    bytes: bytes.length,
  };
}

/** Stores the recorded payloads once everything is settled and sent, and adds them to the trace. */
export function keepPayload(ports: Pick<Ports, 'payloads'>, { arrival, facts, trace }: Trip): void {
  const { recorded, caller } = facts;
  if (!recorded || caller?.payloadDays === undefined) return;
  const { status, contentType, headers } = recorded;
  const request = withoutCredentials(recorded.request);
  const answer = withoutCredentials(recorded.answer);
  trace?.recordBodies({
    ...(isWhole(request) && { request: request.kept }),
    ...(isWhole(answer) && { answer: answer.kept }),
    contentType,
  });
  ports.payloads.keep({
    requestId: arrival.requestId,
    organizationId: caller.organizationId,
    projectId: caller.projectId,
    days: caller.payloadDays,
    request,
    answer,
    status,
    contentType,
    headers,
  });
}

function withoutCredentials(text: PayloadText): PayloadText {
  return { ...text, kept: hideCredentials(text.kept) };
}

const isWhole = ({ bytes }: PayloadText): boolean => bytes <= MOST_PAYLOAD_BYTES;
