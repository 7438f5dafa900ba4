import type { Hold } from '#accounts';
import type { PicoUsd } from '#base';
import type { Mapping } from '#catalogue';
import type { Ports } from '../request/ports.ts';
import type { Trip } from '../request/trip.ts';
import { isPremium } from '#catalogue';
import { GatewayError, toGatewayError } from '#errors';
import { findReached } from '../price/reached-models.ts';
import { limitOutput } from '#wire';
import { toOpenRow } from './row.ts';
import type { Costed } from '../price/priceable-route.ts';
import { FIRST_SLICE, type WorstCase } from '../price/worst-case.ts';

/** The least output to which a small budget shortens a request; below it the request is refused. A project may set its own. */
const LEAST_OUTPUT = 256;
/** The output limit that the budget allows, if it is lower than the requested one. */
const OUTPUT_LIMIT_HEADER = 'x-gateway-output-limit';
/** The greatest output limit sent; no model exceeds it. */
const MOST_OUTPUT = 256_000;

/**
 * Holds money for every mapping on the route, durably, before any byte is sent upstream: for the prompt, and for the
 * whole answer or, if it is streamed, its first slice. With the organization's own keys the hold is zero, because the
 * provider bills the organization.
 */
export async function admit(ports: Ports, trip: Trip, route: readonly Costed[]): Promise<void> {
  const request = trip.get('request');
  const charged = trip.get('credential') === 'own' ? [] : route;
  const grows = request.stream && request.choices === 1;
  const floor = floorOf(trip);
  const slice = grows ? Math.max(FIRST_SLICE, floor) : Infinity;
  const amount = most(charged, ({ maxOutput }) => Math.min(maxOutput, slice));
  const least = grows ? floor : leastOutputOf(trip);
  const leastAmount = most(charged, ({ maxOutput }) => Math.min(maxOutput, least));
  const first = route[0]?.mapping;
  const isAnyPremium = charged.some(({ mapping }) => mayBePremium(ports, trip, mapping));
  const hold = await holdAmount(ports, trip, { amount, leastAmount, grows, first, isAnyPremium });
  trip.note({ hold });
  if (charged.length > 0)
    trip.note({ answerPrices: new Map(charged.map(({ mapping, cost }) => [mapping, cost])) });
  if (hold.amount < amount && !grows)
    await boundOutput(ports, trip, { missing: amount - hold.amount, charged });
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
  /** Whether the hold grows later: a smaller one is accepted at once. */
  grows?: boolean;
  /** The mapping tried first. */
  first: Mapping | undefined;
  isAnyPremium: boolean;
}

/** Holds money for a trip; stops waiting if the caller disconnects. */
export function holdAmount(
  ports: Ports,
  trip: Trip,
  { amount, leastAmount, grows = false, first, isAnyPremium }: Wanted,
): Promise<Hold> {
  const { reply } = trip.arrival;
  if (reply.isOver)
    throw new GatewayError('client_closed', 'the client disconnected before the request was admitted');
  return ports.accounts.ledger.reserve(
    {
      requestId: trip.arrival.requestId,
      caller: trip.get('caller'),
      amount,
      ...(leastAmount !== undefined && leastAmount < amount && { leastAmount, grows }),
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

/** Providers refuse a limit that leaves no room for the requested thinking budget. */
function leastOutputOf(trip: Trip): number {
  return floorOf(trip) + (trip.get('request').reasoning?.budgetTokens ?? 0);
}

function floorOf(trip: Trip): number {
  return trip.get('caller').minOutputTokens ?? LEAST_OUTPUT;
}

interface Shortage {
  /** What the hold lacks. */
  missing: PicoUsd;
  charged: readonly Costed[];
}

/** Holds the missing amount or, if the budget does not cover it, lowers the output limit to what the hold pays for. */
async function boundOutput(ports: Ports, trip: Trip, { missing, charged }: Shortage): Promise<void> {
  const { requestId } = trip.arrival;
  try {
    const amount = await ports.accounts.ledger.grow({ requestId, amount: missing, leastAmount: missing });
    trip.note({ hold: { requestId, amount } });
  } catch (thrown) {
    const error = toGatewayError(thrown);
    if (error.status !== 402) throw error;
    trip.note({ outputBound: error });
    shorten(trip, charged);
  }
}

/** Lowers the output limit to what the hold pays for on every mapping, and reports it in a header. */
function shorten(trip: Trip, route: readonly Costed[]): void {
  const request = trip.get('request');
  const { amount } = trip.get('hold');
  let high = Math.min(request.maxOutputTokens ?? MOST_OUTPUT, MOST_OUTPUT);
  let low = Math.min(leastOutputOf(trip), high);
  while (low < high) {
    const middle = Math.ceil((low + high) / 2);
    if (most(route, () => middle) <= amount) low = middle;
    else high = middle - 1;
  }
  trip.note({ request: limitOutput(request, low) });
  trip.arrival.reply.addHeader(OUTPUT_LIMIT_HEADER, String(low));
}
