import type { PicoUsd } from '#base';
import { GatewayError } from '#errors';
import type { LedgerStore } from '../store/ledger-store.ts';
import type { MeterFigures } from '../store/store-codec.ts';
import type { Subject } from '../../meters/subject.ts';

interface Shortage {
  meter: MeterFigures;
  /** The amount needed beyond what the request holds. */
  missing: PicoUsd;
  subject: Subject;
}

/**
 * The refusal of a request that is blocked only by money of a dead or paused process: worth a retry, because the sweep
 * releases the rest of it. Undefined if something else is in the way.
 */
export async function findSilentHolder(
  store: Pick<LedgerStore, 'findSilent'>,
  { meter, missing, subject }: Shortage,
): Promise<GatewayError | undefined> {
  const short = missing - (meter.limit - meter.used - meter.held);
  if (short > meter.held) return undefined; // without any holds it would not fit either
  const silent = await store.findSilent(meter.kind, subject);
  if (silent === undefined || silent.held < short) return undefined;
  const { seconds: retryAfterSeconds } = silent;
  return new GatewayError(
    'store_unavailable',
    `a gateway process that does not answer holds the money this request needs; retry in ${retryAfterSeconds} seconds, when it is released`,
    { detail: `the missing heartbeats of a process block the meter ${meter.kind}`, retryAfterSeconds },
  );
}
