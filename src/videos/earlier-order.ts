import type { Caller } from '#accounts';
import type { Clock } from '#base';
import type { JobStore } from './jobs/job-store.ts';
import type { VideoJob } from './jobs/video-job.ts';
import { setTimeout as sleep } from 'node:timers/promises';
import { holderOf } from '#accounts';
import { GatewayError } from '#errors';
import { type VideoOrder, digestOrder } from './video-order.ts';

// Repeated orders: those with the idempotency key of an earlier one.

interface KeyedOrder {
  caller: Caller;
  order: VideoOrder;
  /** The caller's idempotency key. */
  idempotencyKey?: string;
}

interface EarlierPorts {
  jobs: Pick<JobStore, 'findByKey'>;
  clock: Pick<Clock, 'monotonicMs'>;
}

/**
 * Idempotency keys belong to a project or a session token's holder, separated by a character that no header can
 * contain.
 */
export function scopeIdempotencyKey<Order extends KeyedOrder>(keyed: Order): Order {
  const { idempotencyKey, caller } = keyed;
  const holder = holderOf(caller);
  if (idempotencyKey === undefined || holder === undefined) return keyed;
  return { ...keyed, idempotencyKey: `${holder}\n${idempotencyKey}` };
}

/** How often an earlier job of the same key is checked while no provider has accepted it. */
const LOOK_AGAIN_MS = 100;

/**
 * The job of an earlier order of the same key. An order that no provider has accepted may still fail and free its key, so
 * a repeated one waits for its outcome.
 */
export async function awaitEarlierOrder(
  ports: EarlierPorts,
  keyed: KeyedOrder,
  limitMs: number,
): Promise<VideoJob | undefined> {
  const lastMs = ports.clock.monotonicMs() + limitMs;
  let earlier = await findEarlier(ports, keyed);
  while (earlier?.status === 'queued' && earlier.upstreamId === undefined) {
    if (ports.clock.monotonicMs() > lastMs) break;
    await sleep(LOOK_AGAIN_MS);
    earlier = await findEarlier(ports, keyed);
  }
  return earlier;
}

async function findEarlier({ jobs }: EarlierPorts, keyed: KeyedOrder): Promise<VideoJob | undefined> {
  const { idempotencyKey, caller, order } = keyed;
  if (idempotencyKey === undefined) return undefined;
  const earlier = await jobs.findByKey(idempotencyKey, caller);
  if (earlier && earlier.orderDigest !== digestOrder(order)) {
    throw new GatewayError(
      'idempotency_mismatch',
      'this Idempotency-Key was used before with another body; use a new key for a new video',
    );
  }
  return earlier?.job;
}
