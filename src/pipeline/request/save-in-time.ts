import type { Ports } from './ports.ts';
import type { Trip } from './trip.ts';
import { toGatewayError } from '#errors';

/** How long the end of an answer waits. */
const PATIENCE_MS = 2_000;

/** Waits, not for long, until something of an answer is stored. The answer is paid for, so a failure is only reported. */
export async function saveInTime(
  { telemetry }: Pick<Ports, 'telemetry'>,
  { arrival: { requestId } }: Trip,
  saving: Promise<unknown>,
): Promise<void> {
  const { promise: late, resolve } = Promise.withResolvers<undefined>();
  const patience = setTimeout(() => resolve(undefined), PATIENCE_MS);
  const saved = saving.catch((thrown: unknown) => telemetry.faulted(requestId, toGatewayError(thrown)));
  await Promise.race([saved, late]);
  clearTimeout(patience);
}
