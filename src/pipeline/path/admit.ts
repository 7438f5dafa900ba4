import type { Hold, HoldRequest } from '#accounts';
import type { PicoUsd } from '#base';
import type { Mapping } from '#catalogue';
import type { Reply } from '../request/arrival.ts';
import type { Ports } from '../request/ports.ts';
import type { Trip } from '../request/trip.ts';
import { billsToEnd, isPremium } from '#catalogue';
import { GatewayError } from '#errors';
import { tryGrowHold } from '../price/grow-hold.ts';
import { mapOtherModels } from '../price/mapped-models.ts';
import { toOpenRow } from './settle/row.ts';
import { OUTPUT_LIMIT_HEADER, findAffordable, floorOf, leastOutputOf } from '../price/output-limit.ts';
import type { CostedMapping } from '../price/priceable-route.ts';
import { FAIR_OUTPUT, FIRST_SLICE } from '../price/worst-case.ts';

/** The greatest output limit sent; no model exceeds it. */
const MOST_OUTPUT = 256_000;

/**
 * Holds money for every mapping on the route, durably, before any byte is sent upstream: for the prompt, and for the
 * whole answer or, of a stream that its provider stops, its first slice. With the organization's own keys the hold is zero, because the
 * provider bills the organization.
 */
export async function admit(ports: Ports, trip: Trip, route: readonly CostedMapping[]): Promise<void> {
  const request = trip.get('request');
  const charged = trip.get('credential') === 'own' ? [] : route;
  const grows = request.stream && request.choices === 1;
  const first = route[0]?.mapping;
  const isAnyPremium = charged.some(({ mapping }) => mayBePremium(ports, trip, mapping));
  const amounts = grows ? sliceAmounts(trip, charged) : wholeAmounts(trip, charged);
  const hold = await holdAmount(ports, trip, { ...amounts, grows, first, isAnyPremium });
  trip.set({ hold });
  if (charged.length > 0)
    trip.set({ answerPrices: new Map(charged.map(({ mapping, cost }) => [mapping, cost])) });
  if (hold.amount < amounts.amount && !grows)
    await boundOutput(ports, trip, { missing: amounts.amount - hold.amount, charged });
}

type Amounts = Pick<HoldAmounts, 'amount' | 'leastAmount' | 'share'>;

function wholeAmounts(trip: Trip, charged: readonly CostedMapping[]): Amounts {
  const least = leastOutputOf(trip);
  return { amount: most(charged, Infinity), leastAmount: most(charged, least) };
}

/**
 * For a stream: its first slice at any provider, and all of it at the first one if that bills it to its end. Others hold
 * the rest when it is their turn.
 */
function sliceAmounts(trip: Trip, charged: readonly CostedMapping[]): Amounts {
  const floor = floorOf(trip);
  const amount = most(charged, Math.max(FIRST_SLICE, floor));
  const leastAmount = most(charged, floor);
  const [first] = charged;
  if (!first || !billsToEnd(first.mapping, true)) return { amount, leastAmount };
  const least = leastOutputOf(trip);
  const atFirst = (output: number): PicoUsd => most([first], output);
  return {
    amount: greater(amount, atFirst(Infinity)),
    leastAmount: greater(leastAmount, atFirst(least)),
    share: greater(amount, atFirst(Math.max(FAIR_OUTPUT, least))),
  };
}

/** Whether a mapping, or any other model the request names there, is premium. */
function mayBePremium(ports: Ports, trip: Trip, mapping: Mapping): boolean {
  const live = ports.live(trip.get('caller'));
  if (isPremium(mapping, live.premium)) return true;
  const asked = { request: trip.get('request'), now: ports.clock.now() };
  return mapOtherModels(live, asked, mapping).some(
    (reached) => reached.mapping !== undefined && isPremium(reached.mapping, live.premium),
  );
}

interface HoldAmounts {
  amount: PicoUsd;
  /** Accepted if the full amount is not available. */
  leastAmount?: PicoUsd | undefined;
  /** Whether the hold grows later: a smaller one is accepted at once. */
  grows?: boolean;
  /** The least it takes where it leaves half of a short budget to others. */
  share?: PicoUsd | undefined;
  /** The mapping tried first. */
  first: Mapping | undefined;
  isAnyPremium: boolean;
}

/** Holds money for a trip; stops waiting if the caller disconnects. */
export function holdAmount(
  ports: Ports,
  trip: Trip,
  { amount, leastAmount, grows = false, share, first, isAnyPremium }: HoldAmounts,
): Promise<Hold> {
  const { reply } = trip.arrival;
  if (reply.isOver)
    throw new GatewayError('client_closed', 'the client disconnected before the request was admitted');
  const request: HoldRequest = {
    requestId: trip.arrival.requestId,
    caller: trip.get('caller'),
    amount,
    row: toOpenRow(trip, first),
  };
  if (leastAmount !== undefined && leastAmount < amount) {
    request.leastAmount = leastAmount;
    request.grows = grows;
  }
  if (share !== undefined && share < amount) request.share = share;
  if (isAnyPremium) request.premium = true;
  return ports.accounts.ledger.reserve(request, () => watchDisconnect(reply));
}

function watchDisconnect(reply: Reply): AbortSignal {
  const gone = new AbortController();
  reply.onGone(() => gone.abort());
  return gone.signal;
}

/** The most that any mapping may cost with this much output, or with its own limit if that is lower. */
function most(route: readonly CostedMapping[], output: number): PicoUsd {
  return route.reduce((sum, { cost }) => greater(sum, cost.price(Math.min(cost.maxOutput, output))), 0n);
}

function greater(one: PicoUsd, other: PicoUsd): PicoUsd {
  return one > other ? one : other;
}

interface Shortage {
  /** The amount that the hold lacks. */
  missing: PicoUsd;
  charged: readonly CostedMapping[];
}

/** Holds the missing amount or, if the budget does not cover it, lowers the output limit to what the hold pays for. */
async function boundOutput(ports: Ports, trip: Trip, { missing, charged }: Shortage): Promise<void> {
  const refusal = await tryGrowHold(ports, trip, { amount: missing, leastAmount: missing });
  if (!refusal) return;
  trip.set({ outputBound: refusal });
  shorten(trip, charged);
}

/** Lowers the output limit to what the hold pays for on every mapping, and reports it in a header. */
function shorten(trip: Trip, route: readonly CostedMapping[]): void {
  const request = trip.get('request');
  const { amount } = trip.get('hold');
  const high = Math.min(request.maxOutputTokens ?? MOST_OUTPUT, MOST_OUTPUT);
  const least = Math.min(leastOutputOf(trip), high);
  const price = (tokens: number): PicoUsd =>
    route.reduce((sum, { cost }) => greater(sum, cost.price(tokens)), 0n);
  const maxOutputTokens = findAffordable(price, amount, { least, most: high });
  trip.set({ request: { ...request, maxOutputTokens } });
  trip.arrival.reply.addHeader(OUTPUT_LIMIT_HEADER, String(maxOutputTokens));
}
