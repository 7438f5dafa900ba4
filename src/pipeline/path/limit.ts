import type { LimitState, RateLimit } from '#accounts';
import type { Ports } from '../request/ports.ts';
import type { Outcome, Trip } from '../request/trip.ts';
import { inputTokensOf, outputTokensOf } from '#canonical';
import { GatewayError } from '#errors';
import { listLimitHeaders } from './limit-headers.ts';

/**
 * Applies the caller's rate limits before anything is held or sent, with the estimate of the prompt as its tokens.
 */
export async function limit(ports: Ports, trip: Trip): Promise<void> {
  const { limits } = trip.get('caller');
  if (limits) await take(ports, trip, limits);
}

/** Applies the caller's request limits to a count, whose tokens no model reads. */
export async function limitCount(ports: Ports, trip: Trip): Promise<void> {
  if (trip.get('caller').limits) await take(ports, trip, listRequestLimits(trip));
}

async function take(ports: Ports, trip: Trip, limits: readonly RateLimit[]): Promise<void> {
  const taken = await ports.limiter.take(limits, trip.get('inputEstimate'));
  writeHeaders(ports, trip, taken.states);
  if (!taken.slot) throw toRefusal(trip, taken.states);
  trip.set({ limiterSlot: taken.slot });
}

/** A smaller body is read faster than Redis responds. */
const LOOKED_FIRST_BYTES = 64 * 1024;

/**
 * Refuses a caller that is already at a request limit before a large body is read. Nothing is counted until the
 * request is known to be valid.
 */
export async function limitUnread(ports: Ports, trip: Trip): Promise<void> {
  const { 'content-length': length = Infinity } = trip.arrival.headers;
  if (!trip.get('caller').limits || Number(length) < LOOKED_FIRST_BYTES) return;
  const states = await ports.limiter.look(listRequestLimits(trip), 0);
  if (states.some(({ waitMs }) => waitMs > 0)) throw toRefusal(trip, states);
}

function listRequestLimits(trip: Trip): RateLimit[] {
  const { limits = [] } = trip.get('caller');
  return limits.filter(({ kind }) => kind !== 'tokens');
}

/** Releases the limits that a closed trip had reserved, and reports its usage. */
export function releaseSlot({ facts, bill }: Outcome): void {
  facts.limiterSlot?.end(inputTokensOf(bill.usage) + outputTokensOf(bill.usage));
}

/** Adds the rate-limit headers to a refusal that came before anything was counted. */
export async function showLimits(ports: Ports, trip: Trip): Promise<void> {
  const { caller, areLimitsShown } = trip.facts;
  if (!caller?.limits || areLimitsShown === true || trip.arrival.reply.isOver) return;
  writeHeaders(ports, trip, await ports.limiter.look(caller.limits));
}

const COUNTED: Record<RateLimit['kind'], [one: string, several: string]> = {
  requests: ['request per minute', 'requests per minute'],
  tokens: ['token per minute', 'tokens per minute'],
  concurrency: ['request at a time', 'concurrent requests'],
};

/** Names the limit with the longest wait, so that `retry-after` holds for all of them. */
function toRefusal(trip: Trip, states: readonly LimitState[]): GatewayError {
  const { limit: hit, used, waitMs } = states.reduce((most, one) => (one.waitMs > most.waitMs ? one : most));
  const owner = hit.owner === 'key' ? 'this key' : 'the organization of this key';
  const name = `rate limit of ${owner} reached: ${hit.most} ${COUNTED[hit.kind][hit.most === 1 ? 0 : 1]}`;
  if (waitMs === Infinity) {
    // The SDKs of both vendors would otherwise retry it.
    trip.arrival.reply.addHeader('x-should-retry', 'false');
    const estimate = trip.get('inputEstimate');
    return new GatewayError(
      'rate_limit_exceeded',
      `${name}, and this request alone has about ${estimate}; make it smaller`,
    );
  }
  const retryAfterSeconds = Math.max(1, Math.ceil(waitMs / 1_000));
  return new GatewayError(
    'rate_limit_exceeded',
    `${name} (${used} used). Please try again in ${retryAfterSeconds}s.`,
    { retryAfterSeconds },
  );
}

function writeHeaders(ports: Ports, trip: Trip, states: readonly LimitState[]): void {
  const { reply, format } = trip.arrival;
  const headers = listLimitHeaders(states, format.id, ports.clock.now());
  for (const [name, value] of headers) reply.addHeader(name, value);
  trip.set({ areLimitsShown: true });
}
