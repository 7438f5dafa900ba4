import type { GatewayError } from '#errors';
import type { Ports } from '../request/ports.ts';
import { type Bill, NO_BILL, type Trip } from '../request/trip.ts';
import { toGatewayError } from '#errors';
import { showLimits } from './limit.ts';
import { sendError, statusOf } from '../answer/send-error.ts';
import { LITTLE_PATIENCE_MS, settle } from './settle/settle.ts';

/**
 * Ends a trip whose path threw: with a refusal and its row or, if the row is already written, as far as still
 * possible.
 */
export async function breakOff(
  ports: Ports,
  trip: Trip,
  { thrown, isRowed = () => trip.isClosed }: { thrown: unknown; isRowed?: () => boolean },
): Promise<void> {
  await showLimits(ports, trip);
  // Checked last: the row may have been written while the limits were read.
  if (isRowed()) abandon(ports, trip, thrown);
  else await refuse(ports, trip, { error: toGatewayError(thrown) });
}

/** Ends a trip that has sent nothing yet: writes its row, if the caller is known, then the error. */
export async function refuse(
  ports: Ports,
  trip: Trip,
  refusal: { error: GatewayError; bill?: Bill },
): Promise<void> {
  const { arrival } = trip;
  const { error, bill = NO_BILL } = refusal;
  trip.set({ status: statusOf(arrival.format, error) });
  const outcome = trip.close(arrival.reply.isOver ? 'canceled' : 'failed', { bill, error });
  // The refusal is sent even if its row cannot be written: the store may be unavailable.
  await settle(ports, trip, { outcome, patienceMs: LITTLE_PATIENCE_MS }).catch(() => undefined);
  abandon(ports, trip, error);
}

/** Ends an answer with an error, or cuts it if it has begun. */
export function abandon(ports: Pick<Ports, 'telemetry'>, { arrival }: Trip, thrown: unknown): void {
  const { format, reply, requestId } = arrival;
  const error = toGatewayError(thrown);
  reportFault(ports, requestId, error);
  if (reply.hasBegun) reply.drop();
  else sendError(reply, format, { error, requestId });
}

/** Reports an internal error to the operator; the caller may only see a cut answer. */
export function reportFault(
  { telemetry }: Pick<Ports, 'telemetry'>,
  requestId: string,
  error: GatewayError,
): void {
  if (error.code === 'internal_error' || error.code === 'credential_unreadable')
    telemetry.faulted(requestId, error);
}
