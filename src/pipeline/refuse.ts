import type { GatewayError } from '#errors';
import type { InboundFormat } from '#wire';
import type { Reply } from './arrival.ts';
import type { Ports } from './ports.ts';
import type { Bill, Trip } from './trip.ts';
import { createUsage } from '#canonical';
import { toGatewayError } from '#errors';
import { LITTLE_PATIENCE_MS, settle } from './settle.ts';

export const NO_BILL: Bill = { usage: createUsage(), customer: 0n, provider: 0n, estimated: false };

/** The HTTP status an error has in a format. */
export function statusOf(format: InboundFormat, error: GatewayError): number {
  return format.id === 'messages' ? error.messagesStatus : error.status;
}

/** Writes an error in the caller's own format. */
export function sendError(
  reply: Reply,
  format: InboundFormat,
  refusal: { error: GatewayError; requestId: string },
): void {
  const { error, requestId } = refusal;
  const { retryAfterSeconds } = error.facts;
  const headers = {
    'content-type': 'application/json',
    ...(retryAfterSeconds !== undefined && { 'retry-after': String(retryAfterSeconds) }),
  };
  reply.send(statusOf(format, error), headers, JSON.stringify(format.encodeError(error, requestId)));
}

/** Ends a trip that has sent nothing yet: its row, where the caller is known, then the error. */
export async function refuse(
  ports: Ports,
  trip: Trip,
  refusal: { error: GatewayError; bill?: Bill },
): Promise<void> {
  const { arrival } = trip;
  const { error, bill = NO_BILL } = refusal;
  trip.note({ status: statusOf(arrival.format, error) });
  if (error.code === 'internal_error') ports.telemetry.faulted(arrival.requestId, error);
  const outcome = trip.close(arrival.reply.isOver ? 'canceled' : 'failed', { bill, error });
  // A refusal is sent even when its row cannot be written: the store that is away may be the very reason.
  await settle(ports, trip, { outcome, patienceMs: LITTLE_PATIENCE_MS }).catch(() => undefined);
  sendError(arrival.reply, arrival.format, { error, requestId: arrival.requestId });
}

/** Ends an answer whose settlement could not be written in time: with the error, or cut where it had begun. */
export function giveUp({ arrival }: Trip, thrown: unknown): void {
  const { format, reply, requestId } = arrival;
  if (reply.hasBegun) reply.drop();
  else sendError(reply, format, { error: toGatewayError(thrown), requestId });
}
