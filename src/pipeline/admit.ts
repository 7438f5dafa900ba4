import type { Hold } from '#accounts';
import type { PicoUsd } from '#base';
import type { CanonicalRequest } from '#canonical';
import type { Mapping } from '#catalogue';
import type { Ports } from './ports.ts';
import type { Trip } from './trip.ts';
import { isPremium, worstCasePrice } from '#catalogue';
import { GatewayError } from '#errors';
import { MOST_IMAGE_TOKENS, countSearches } from './prompt-size.ts';
import { findReached } from './reached-models.ts';
import { toOpenRow } from './row.ts';

/** Held for an answer whose length neither caller nor catalogue bounds. */
const DEFAULT_MAX_OUTPUT = 32_000;
/** Held for a prompt that neither its bytes nor the catalogue bounds. */
const DEFAULT_CONTEXT = 1_000_000;
/** A caller short of money gets at least this much answer, or a refusal. */
const LEAST_OUTPUT = 256;

/**
 * Holds the worst case of every mapping on the route, durably, before any byte goes upstream. With the organization's own
 * keys that is nothing: their provider bills the organization.
 */
export async function admit(ports: Ports, trip: Trip, route: readonly Mapping[]): Promise<void> {
  const request = trip.get('request');
  const charged = trip.get('credential') === 'own' ? [] : route;
  const amount = holdFor(trip, charged, (mapping) => boundOutput(request, mapping));
  const leastAmount =
    request.maxOutputTokens === undefined ? holdFor(trip, charged, () => LEAST_OUTPUT) : undefined;
  const isAnyPremium = charged.some((mapping) => mayBePremium(ports, trip, mapping));
  const hold = await holdAmount(ports, trip, { amount, leastAmount, route, isAnyPremium });
  trip.note({ hold });
  if (hold.amount < amount) trip.note({ request: shorten(trip, charged, hold.amount) });
}

/** Whether a mapping is premium, or any other model that the request names there. */
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
  /** What is taken where there is not as much. */
  leastAmount?: PicoUsd | undefined;
  route: readonly Mapping[];
  isAnyPremium: boolean;
}

/** Puts money aside for a trip; a caller who leaves waits no longer. */
export function holdAmount(
  ports: Ports,
  trip: Trip,
  { amount, leastAmount, route, isAnyPremium }: Wanted,
): Promise<Hold> {
  const { reply } = trip.arrival;
  if (reply.isOver)
    throw new GatewayError('client_closed', 'the client left before the request was admitted');
  return ports.accounts.ledger.reserve(
    {
      requestId: trip.arrival.requestId,
      caller: trip.get('caller'),
      amount,
      ...(leastAmount !== undefined && leastAmount < amount && { leastAmount }),
      ...(isAnyPremium && { premium: true }),
      row: toOpenRow(trip, route),
    },
    () => {
      const gone = new AbortController();
      reply.onGone(() => gone.abort());
      return gone.signal;
    },
  );
}

function boundOutput(request: CanonicalRequest, mapping: Mapping): number {
  const declared = mapping.maxOutput ?? DEFAULT_MAX_OUTPUT;
  return Math.min(request.maxOutputTokens ?? declared, mapping.maxOutput ?? Infinity);
}

function boundInput(trip: Trip, mapping: Mapping): number {
  const images = trip.get('images') * (mapping.imageTokens ?? MOST_IMAGE_TOKENS);
  const bound = Math.min(trip.get('inputBound') + images, mapping.contextLength ?? Infinity);
  return Number.isFinite(bound) ? bound : DEFAULT_CONTEXT;
}

function holdFor(trip: Trip, route: readonly Mapping[], outputOf: (mapping: Mapping) => number): PicoUsd {
  const request = trip.get('request');
  const searches = BigInt(countSearches(request));
  let most = 0n;
  for (const mapping of route) {
    if (!mapping.price) continue;
    const tokens = worstCasePrice(mapping.price, boundInput(trip, mapping), outputOf(mapping));
    const price = tokens + searches * mapping.price.parts.webSearches;
    if (price > most) most = price;
  }
  return most * BigInt(request.choices);
}

/** The request with its output bounded to what a smaller hold pays for on every mapping. */
function shorten(trip: Trip, route: readonly Mapping[], amount: PicoUsd): CanonicalRequest {
  let low = LEAST_OUTPUT;
  let high = DEFAULT_MAX_OUTPUT * 8;
  while (low < high) {
    const middle = Math.ceil((low + high) / 2);
    if (holdFor(trip, route, () => middle) <= amount) low = middle;
    else high = middle - 1;
  }
  return { ...trip.get('request'), maxOutputTokens: low };
}
