import type { Caller, Ledger } from '#accounts';
import { type LogRow, toErrorFinish } from '#logs';
import type { ClosingPorts } from './close-job.ts';
import type { VideoJob } from './jobs/video-job.ts';
import type { Offer } from './choose-offers.ts';
import type { VideoOrder } from './video-order.ts';
import type { ProviderOrder } from './protocol.ts';
import type { FindProvider, VideoProvider } from './video-provider.ts';
import { setTimeout as sleep } from 'node:timers/promises';
import { holderOf } from '#accounts';
import { type PremiumRule, isPremium } from '#catalogue';
import { createTimedIdentifier } from '#base';
import { AFTER_FAILURE, GatewayError, type UpstreamFailure, toCallerError, toGatewayError } from '#errors';
import { closeJob, withoutError } from './close-job.ts';
import { digestOrder } from './video-order.ts';
import { ORDER_LIMIT_MS, isOwn } from './video-provider.ts';

/** An order to place. */
export interface Placing {
  caller: Caller;
  order: VideoOrder;
  /** Offers in the order they are tried. */
  offers: readonly Offer[];
  /** The caller's idempotency key. */
  idempotencyKey?: string;
  /** The log row to write if this process crashes before the job is stored. */
  row: LogRow;
  premium: PremiumRule;
  /** Called once the job is stored: from then on it owns hold, row and bill. */
  onTaken(): void;
}

interface PlacingPorts extends ClosingPorts {
  ledger: Pick<Ledger, 'reserve' | 'settle' | 'entrust' | 'resolve'>;
  findProvider: FindProvider;
  /** How long a provider may take for a video. */
  expireMs(): number;
  /** How often each job is polled; by default as its provider's protocol sets. */
  pollMs(): number | undefined;
}

/** The new job, or the one that the same order with the same key created before. */
export interface Placed {
  job: VideoJob;
  isReplay: boolean;
}

/**
 * Holds the price, stores the job with its hold in one transaction, and only then asks providers. The first that
 * accepts the order has it; if none does, the job is deleted and the caller gets the reason.
 */
export async function placeOrder(ports: PlacingPorts, wanted: Placing): Promise<Placed> {
  const placing = withOwnKey(wanted);
  const earlier = await awaitEarlier(ports, placing);
  if (earlier) return { job: earlier, isReplay: true };
  const job = createJob(ports, placing);
  await reserve(ports, placing);
  const winner = await keep(ports, placing, job);
  if (winner) return { job: winner, isReplay: true };
  placing.onTaken();
  return { job: await dispatch(ports, placing, job), isReplay: false };
}

/**
 * Idempotency keys belong to a project or a session token's holder, separated by a character that no header can
 * contain.
 */
function withOwnKey(placing: Placing): Placing {
  const { idempotencyKey, caller } = placing;
  const holder = holderOf(caller);
  if (idempotencyKey === undefined || holder === undefined) return placing;
  return { ...placing, idempotencyKey: `${holder}\n${idempotencyKey}` };
}

async function findEarlier(ports: PlacingPorts, placing: Placing): Promise<VideoJob | undefined> {
  const { idempotencyKey, caller, order } = placing;
  if (idempotencyKey === undefined) return undefined;
  const earlier = await ports.jobs.findByKey(idempotencyKey, caller);
  if (earlier && earlier.orderDigest !== digestOrder(order)) {
    throw new GatewayError(
      'idempotency_mismatch',
      'this Idempotency-Key was used before with another body; use a new key for a new video',
    );
  }
  return earlier?.job;
}

/** How often an earlier job of the same key is checked while no provider has accepted it. */
const LOOK_AGAIN_MS = 100;

/**
 * An order that no provider has accepted may still fail and free its key, so a repeated one waits for its outcome.
 */
async function awaitEarlier(ports: PlacingPorts, placing: Placing): Promise<VideoJob | undefined> {
  const lastMs = ports.clock.monotonicMs() + limitOf(placing);
  let earlier = await findEarlier(ports, placing);
  while (earlier?.status === 'queued' && earlier.upstreamId === undefined) {
    if (ports.clock.monotonicMs() > lastMs) break;
    await sleep(LOOK_AGAIN_MS);
    earlier = await findEarlier(ports, placing);
  }
  return earlier;
}

/** The longest time until the last provider has refused. */
const limitOf = ({ offers }: Placing): number => ORDER_LIMIT_MS * offers.length;

function createJob(ports: PlacingPorts, placing: Placing): VideoJob {
  const { caller, order, row, offers, premium } = placing;
  const now = ports.clock.now();
  const [offer] = offers;
  if (!offer) throw new Error('an order needs an offer');
  return {
    id: createTimedIdentifier('video', now),
    requestId: row.requestId,
    organizationId: caller.organizationId,
    projectId: caller.projectId,
    keyId: caller.keyId,
    requestedModel: order.model,
    prompt: order.prompt,
    ...toAssignment(offer, row, premium),
    status: 'queued',
    progress: 0,
    createdAt: now,
    deadline: now + ports.expireMs(),
    failures: 0,
    row,
  };
}

function toAssignment({ mapping, seconds, size, cost }: Offer, row: LogRow, rule: PremiumRule) {
  const { modelId, providerId, externalId, price } = mapping;
  const priced = price && { priceVersion: price.version };
  return {
    modelId,
    providerId,
    externalId,
    seconds,
    size,
    cost,
    premium: !isOwn({ row }) && isPremium(mapping, rule),
    ...priced,
  };
}

/**
 * The most that any offer costs, since a more expensive one may accept the order. With the organization's own key
 * that is zero.
 */
async function reserve(ports: PlacingPorts, { caller, offers, row, premium }: Placing): Promise<void> {
  const charged = isOwn({ row }) ? [] : offers;
  const amount = charged.reduce((most, { cost }) => (cost > most ? cost : most), 0n);
  const isAnyPremium = charged.some(({ mapping }) => isPremium(mapping, premium));
  await ports.ledger.reserve({
    requestId: row.requestId,
    caller,
    amount,
    ...(isAnyPremium && { premium: true }),
    row,
  });
}

/** Stores the job, or returns the earlier one with its idempotency key. Without a job no hold remains. */
async function keep(ports: PlacingPorts, placing: Placing, job: VideoJob): Promise<VideoJob | undefined> {
  const giveBack = (fields: Partial<LogRow>): Promise<void> =>
    ports.ledger.settle({
      requestId: placing.row.requestId,
      customer: 0n,
      provider: 0n,
      estimated: false,
      unreached: true,
      row: { ...withoutError(placing.row), ...fields },
    });
  try {
    while (!(await insert(ports, placing, job))) {
      const winner = await awaitEarlier(ports, placing);
      if (!winner) continue; // it failed: the key is free again
      await giveBack({ finishReason: 'completed', status: 200, cached: true, estimated: false });
      return winner;
    }
    return undefined;
  } catch (thrown) {
    const error = toGatewayError(thrown);
    const { status, code } = error;
    await giveBack({ finishReason: toErrorFinish(error), status, errorCode: code }).catch(() => undefined);
    throw thrown;
  }
}

/** Returns whether the job is new and has taken over the hold. */
function insert(ports: PlacingPorts, placing: Placing, job: VideoJob): Promise<boolean> {
  const { idempotencyKey, order, row } = placing;
  return ports.database.transaction(async (client) => {
    const isNew = await ports.jobs.insert(client, {
      job,
      orderDigest: digestOrder(order),
      leaseMs: limitOf(placing),
      ...(idempotencyKey !== undefined && { idempotencyKey }),
    });
    if (isNew) await ports.ledger.entrust(client, row.requestId);
    return isNew;
  });
}

async function dispatch(ports: PlacingPorts, placing: Placing, kept: VideoJob): Promise<VideoJob> {
  let job = kept;
  let failure: UpstreamFailure | undefined;
  for (const [index, offer] of placing.offers.entries()) {
    const fail = async (thrown: unknown): Promise<never> => {
      await abandon(ports, job, { error: toGatewayError(thrown), isCharged: false });
      throw thrown;
    };
    const { providerId } = offer.mapping;
    const provider = await ports.findProvider({ ...job, providerId }).catch(fail);
    if (!provider) continue;
    if (index > 0) {
      job = { ...job, ...toAssignment(offer, job.row, placing.premium) };
      await ports.jobs.assign(job);
    }
    const created = await create(provider, placing.order, job).catch(fail);
    if ('upstreamId' in created) return begin(ports, job, { provider, upstreamId: created.upstreamId });
    failure = created.failure;
    if (!created.isCertain || AFTER_FAILURE[failure.kind].next === 'stop') {
      const isCharged = !created.isCertain;
      throw await abandon(ports, job, { error: toCallerError(failure), isCharged });
    }
  }
  const error = failure ? toCallerError(failure) : createUnreachable();
  throw await abandon(ports, job, { error, isCharged: false });
}

function createUnreachable(): GatewayError {
  return new GatewayError(
    'provider_not_configured',
    'no provider of this model supports videos on this gateway; it needs a provider with a base URL and a key',
    { param: 'model' },
  );
}

function create(provider: VideoProvider, order: VideoOrder, job: VideoJob) {
  const { externalId, seconds, size } = job;
  const wanted: ProviderOrder = { ...order, externalId, seconds, size };
  return provider.create(wanted);
}

async function begin(
  ports: PlacingPorts,
  job: VideoJob,
  { provider, upstreamId }: { provider: VideoProvider; upstreamId: string },
): Promise<VideoJob> {
  await ports.jobs.start(job.id, upstreamId, { pollInMs: ports.pollMs() ?? provider.pollMs, progress: 0 });
  const current = await ports.jobs.find(job.id, job);
  if (current && current.status !== 'canceled') return current;
  await provider.cancel(upstreamId).catch(() => undefined);
  return { ...job, status: 'canceled' };
}

/** Deletes a failed job so that its idempotency key can be reused; the log row is kept. */
async function abandon(
  ports: PlacingPorts,
  job: VideoJob,
  { error, isCharged }: { error: GatewayError; isCharged: boolean },
): Promise<GatewayError> {
  await closeJob(ports, job, {
    status: 'failed',
    error: { code: error.code, message: error.message.slice(0, 500) },
    finish: toErrorFinish(error),
    httpStatus: error.status,
    isCharged,
    isSilent: true,
    isUnreached: error.code === 'upstream_unreachable',
  });
  return error;
}
