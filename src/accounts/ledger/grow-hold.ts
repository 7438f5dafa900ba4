import type { PicoUsd } from '#base';
import { GatewayError } from '#errors';
import type { GrowRequest } from './ledger.ts';
import { createRefusal } from './refusal.ts';
import type { MeterKind } from './subject.ts';
import type { ReserveOutcome } from './wire.ts';

/** How often and how far apart growth is tried while only other holds are in the way: the stream waits meanwhile. */
const TRIES = 30;
const HURRIED_TRIES = 2;
const RETRY_MS = 100;

/** Enlarges an open hold; retries for a moment while other holds are in the way. */
export async function growHold(
  request: GrowRequest,
  ports: {
    tryGrow(request: GrowRequest): Promise<ReserveOutcome>;
    /** Only open holds and leases are in the way. */
    onBlocked(meter: MeterKind): void;
  },
): Promise<PicoUsd> {
  const most = request.hurries ? HURRIED_TRIES : TRIES;
  for (let tries = 1; ; tries += 1) {
    const outcome = await ports.tryGrow(request);
    if (outcome.status === 'ok') return outcome.amount;
    if (outcome.status === 'closed')
      throw new GatewayError('internal_error', 'internal error', { detail: 'a closed hold was to grow' });
    if (outcome.status === 'refused' || tries === most) throw createRefusal(outcome, request.leastAmount);
    ports.onBlocked(outcome.kind);
    await new Promise((resolve) => setTimeout(resolve, RETRY_MS));
  }
}
