import type { Hold } from '#accounts';
import type { PicoUsd } from '#base';
import type { CanonicalRequest } from '#canonical';
import type { Mapping } from '#catalogue';
import type { Ports } from '../request/ports.ts';
import type { Trip } from '../request/trip.ts';
import { isPremium } from '#catalogue';
import { GatewayError } from '#errors';
import { findReached } from '../price/reached-models.ts';
import { toOpenRow } from './row.ts';
import type { Costed } from '../price/priceable-route.ts';
import type { WorstCase } from '../price/worst-case.ts';

/** With too little money left, output is shortened to no less than this, or the request is refused. */
const LEAST_OUTPUT = 256;
/** No answer is longer. */
const MOST_OUTPUT = 256_000;

/**
 * Holds the worst case over every mapping on the route, durably, before any byte goes upstream. With the
 * organization's own keys that is zero: their provider bills the organization.
 */
export async function admit(ports: Ports, trip: Trip, route: readonly Costed[]): Promise<void> {
  const request = trip.get('request');
  const charged = trip.get('credential') === 'own' ? [] : route;
  const amount = most(charged, ({ maxOutput }) => maxOutput);
  const leastAmount = request.maxOutputTokens === undefined ? most(charged, () => LEAST_OUTPUT) : undefined;
  const isAnyPremium = charged.some(({ mapping }) => mayBePremium(ports, trip, mapping));
  const first = route[0]?.mapping;
  const hold = await holdAmount(ports, trip, { amount, leastAmount, first, isAnyPremium });
  trip.note({ hold });
  if (hold.amount < amount) trip.note({ request: shorten(request, charged, hold.amount) });
}

/** Whether a mapping, or any other model the request names there, is premium. */
function mayBePremium(ports: Ports, trip: Trip, mapping: Mapping): boolean {
  const live = ports.live(trip.get('caller'));
  if (isPremium(mapping, live.premium)) return true;
  const asked = { request: trip.get('request'), now: ports.clock.now() };
  return findReached(live, asked, mapping).some(
    (reached) => reached.mapping !== undefined && isPremium(reached.mapping, live.premium),
  );
}

interface Wanted {
  amount: PicoUsd;
  /** Accepted if the full amount is not available. */
  leastAmount?: PicoUsd | undefined;
  /** The mapping tried first. */
  first: Mapping | undefined;
  isAnyPremium: boolean;
}

/** Holds money for a trip; stops waiting if the caller disconnects. */
export function holdAmount(
  ports: Ports,
  trip: Trip,
  { amount, leastAmount, first, isAnyPremium }: Wanted,
): Promise<Hold> {
  const { reply } = trip.arrival;
  if (reply.isOver)
    throw new GatewayError('client_closed', 'the client disconnected before the request was admitted');
  return ports.accounts.ledger.reserve(
    {
      requestId: trip.arrival.requestId,
      caller: trip.get('caller'),
      amount,
      ...(leastAmount !== undefined && leastAmount < amount && { leastAmount }),
      ...(isAnyPremium && { premium: true }),
      row: toOpenRow(trip, first),
    },
    () => {
      const gone = new AbortController();
      reply.onGone(() => gone.abort());
      return gone.signal;
    },
  );
}

function most(route: readonly Costed[], outputOf: (cost: WorstCase) => number): PicoUsd {
  let highest = 0n;
  for (const { cost } of route) {
    const price = cost.price(outputOf(cost));
    if (price > highest) highest = price;
  }
  return highest;
}

/** Bounds the output to what a smaller hold pays for on every mapping. */
function shorten(request: CanonicalRequest, route: readonly Costed[], amount: PicoUsd): CanonicalRequest {
  let low = LEAST_OUTPUT;
  let high = MOST_OUTPUT;
  while (low < high) {
    const middle = Math.ceil((low + high) / 2);
    if (most(route, () => middle) <= amount) low = middle;
    else high = middle - 1;
  }
  return { ...request, maxOutputTokens: low };
}
