import type { Clock, PicoUsd } from '#base';
import { GatewayError } from '#errors';
import type { GrowRequest } from '../ledger.ts';
import type { MeterKind } from '../../meters/subject.ts';
import type { MeterFigures, ReserveOutcome } from '../store/store-codec.ts';

/** How long a stream waits for money that only other holds reserve, and how often it retries without a release. */
const WAIT_MS = 3_000;
const URGENT_WAIT_MS = 100;
const LOOK_EVERY_MS = 100;

/** Enlarges an open hold; retries for a moment, at each release, while other holds are in the way. */
export async function retryGrowth(
  request: GrowRequest,
  ports: {
    tryGrow(request: GrowRequest): Promise<ReserveOutcome>;
    /** Why it is refused. */
    explain(meter: MeterFigures, missing: PicoUsd): Promise<GatewayError>;
    clock: Pick<Clock, 'monotonicMs'>;
    /** Waits for a release, up to a limit, where only open holds and leases are in the way. False if none will come. */
    awaitRelease(meter: MeterKind, mostMs: number): Promise<boolean>;
  },
): Promise<PicoUsd> {
  const untilMs = ports.clock.monotonicMs() + (request.isUrgent ? URGENT_WAIT_MS : WAIT_MS);
  for (let isLast = false; ; isLast ||= ports.clock.monotonicMs() >= untilMs) {
    const outcome = await ports.tryGrow(request);
    if (outcome.status === 'ok') return outcome.amount;
    if (outcome.status === 'closed')
      throw new GatewayError('internal_error', 'internal error', { detail: 'a closed hold cannot grow' });
    if (outcome.status === 'refused' || isLast) throw await ports.explain(outcome, request.leastAmount);
    isLast = !(await ports.awaitRelease(outcome.kind, LOOK_EVERY_MS));
  }
}
