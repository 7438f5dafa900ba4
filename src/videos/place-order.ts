import type { Caller, Ledger } from '#accounts';
import { type LogRow, toErrorFinish } from '#logs';
import type { ClosingPorts } from './close-job.ts';
import type { VideoJob } from './jobs/video-job.ts';
import type { Offer } from './choose-offers.ts';
import type { VideoOrder } from './video-order.ts';
import type { ProviderOrder } from './protocol.ts';
import type { FindProvider, VideoCredentials, VideoProvider } from './video-provider.ts';
import { type PremiumRule, isPremium } from '#catalogue';
import { createTimedIdentifier } from '#base';
import {
  GatewayError,
  type UpstreamFailure,
  concernsCredential,
  findNext,
  toCallerError,
  toGatewayError,
} from '#errors';
import { closeJob, withoutError } from './close-job.ts';
import { awaitEarlierOrder, scopeIdempotencyKey } from './earlier-order.ts';
import { digestOrder } from './video-order.ts';
import { ORDER_LIMIT_MS, isOwn } from './video-provider.ts';

/** An order to place. */
export interface OrderPlacement {
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
  ledger: Pick<Ledger, 'reserve' | 'settle' | 'transferHold' | 'resolve'>;
  findProvider: FindProvider;
  credentials: VideoCredentials;
  /** How long a provider may take for a video. */
  expireMs(): number;
  /** How often each job is polled; by default as its provider's protocol sets. */
  pollMs(): number | undefined;
}

/** The new job, or the one that the same order with the same key created before. */
export interface PlacedOrder {
  job: VideoJob;
  isReplay: boolean;
}

/**
 * Holds the price, stores the job with its hold in one transaction, and only then asks providers. The first that
 * accepts the order has it; if none does, the job is deleted and the caller gets the reason.
 */
export async function placeOrder(ports: PlacingPorts, wanted: OrderPlacement): Promise<PlacedOrder> {
  const placing = { ...scopeIdempotencyKey(wanted), candidates: listCandidates(ports, wanted) };
  const earlier = await awaitEarlierOrder(ports, placing, limitOf(placing));
  if (earlier) return { job: earlier, isReplay: true };
  const job = createJob(ports, placing);
  await reserve(ports, placing);
  const winner = await keep(ports, placing, job);
  if (winner) return { job: winner, isReplay: true };
  placing.onTaken();
  return { job: await dispatch(ports, placing, job), isReplay: false };
}

/** An offer with one of the credentials of its provider. */
interface Candidate {
  offer: Offer;
  credential: string | undefined;
}

interface PlannedOrder extends OrderPlacement {
  /** In the order they are tried. */
  candidates: readonly Candidate[];
}

function listCandidates({ credentials }: PlacingPorts, { offers, row }: OrderPlacement): Candidate[] {
  return offers.flatMap((offer) => {
    const names = isOwn({ row }) ? [undefined] : credentials.order(offer.mapping, row.requestId);
    return names.map((credential) => ({ offer, credential }));
  });
}

/** The longest time until the last provider has refused. */
const limitOf = ({ candidates }: PlannedOrder): number => ORDER_LIMIT_MS * candidates.length;

function createJob(ports: PlacingPorts, placing: PlannedOrder): VideoJob {
  const { caller, order, row, candidates, premium } = placing;
  const now = ports.clock.now();
  const [first] = candidates;
  if (!first) throw new Error('an order needs an offer');
  return {
    id: createTimedIdentifier('video', now),
    requestId: row.requestId,
    organizationId: caller.organizationId,
    projectId: caller.projectId,
    keyId: caller.keyId,
    requestedModel: order.model,
    prompt: order.prompt,
    ...toAssignment(first, row, premium),
    status: 'queued',
    progress: 0,
    createdAt: now,
    deadline: now + ports.expireMs(),
    failures: 0,
    row,
  };
}

function toAssignment({ offer, credential }: Candidate, row: LogRow, rule: PremiumRule) {
  const { mapping, seconds, size, cost } = offer;
  const { modelId, providerId, externalId, price } = mapping;
  const priced = price && { priceVersion: price.version };
  return {
    modelId,
    providerId,
    externalId,
    seconds,
    size,
    cost,
    ...(credential !== undefined && { credential }),
    premium: !isOwn({ row }) && isPremium(mapping, rule),
    ...priced,
  };
}

/**
 * The most that any offer costs, since a more expensive one may accept the order. With the organization's own key
 * that is zero.
 */
async function reserve(ports: PlacingPorts, { caller, offers, row, premium }: OrderPlacement): Promise<void> {
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
async function keep(
  ports: PlacingPorts,
  placing: PlannedOrder,
  job: VideoJob,
): Promise<VideoJob | undefined> {
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
      const winner = await awaitEarlierOrder(ports, placing, limitOf(placing));
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
function insert(ports: PlacingPorts, placing: PlannedOrder, job: VideoJob): Promise<boolean> {
  const { idempotencyKey, order, row } = placing;
  return ports.database.transaction(async (client) => {
    const isNew = await ports.jobs.insert(client, {
      job,
      orderDigest: digestOrder(order),
      leaseMs: limitOf(placing),
      ...(idempotencyKey !== undefined && { idempotencyKey }),
    });
    if (isNew) await ports.ledger.transferHold(client, row.requestId);
    return isNew;
  });
}

async function dispatch(ports: PlacingPorts, placing: PlannedOrder, kept: VideoJob): Promise<VideoJob> {
  let job = kept;
  let failure: UpstreamFailure | undefined;
  let left = placing.candidates;
  for (let [next] = left; next; [next] = left) {
    left = left.slice(1);
    const fail = async (thrown: unknown): Promise<never> => {
      await abandon(ports, job, { error: toGatewayError(thrown), isCharged: false });
      throw thrown;
    };
    const { credential: _before, ...unassigned } = job;
    const assigned = { ...unassigned, ...toAssignment(next, job.row, placing.premium) };
    const provider = await ports.findProvider(assigned).catch(fail);
    if (!provider) continue;
    job = assigned;
    if (next !== placing.candidates[0]) await ports.jobs.assign(job);
    const created = await create(provider, placing.order, job).catch(fail);
    if ('upstreamId' in created) {
      ports.credentials.record(next.offer.mapping, next.credential);
      return begin(ports, job, { provider, upstreamId: created.upstreamId });
    }
    failure = created.failure;
    ports.credentials.record(next.offer.mapping, next.credential, failure);
    left = arrangeRest(left, next, failure);
    if (!created.isCertain || findNext(failure) === 'stop') {
      const isCharged = !created.isCertain;
      throw await abandon(ports, job, { error: toCallerError(failure), isCharged });
    }
  }
  const error = failure ? toCallerError(failure) : createUnreachable();
  throw await abandon(ports, job, { error, isCharged: false });
}

/** If the credential is not at fault, the provider's other credentials come last. */
function arrangeRest(
  left: readonly Candidate[],
  failed: Candidate,
  failure: UpstreamFailure,
): readonly Candidate[] {
  if (concernsCredential(failure)) return left;
  const others = left.filter(({ offer }) => offer !== failed.offer);
  const siblings = left.filter(({ offer }) => offer === failed.offer);
  return failure.kind === 'request-refused' ? others : [...others, ...siblings];
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
