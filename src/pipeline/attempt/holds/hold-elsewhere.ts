import type { PicoUsd } from '#base';
import type { AnswerPrice } from '../../request/answer-price.ts';
import type { Ports } from '../../request/ports.ts';
import type { Trip } from '../../request/trip.ts';
import { type Destination, FIRST_SLICE, findWorstCase } from '../../price/worst-case.ts';
import { growHold } from '../../price/grow-hold.ts';
import { floorOf } from '../../price/output-limit.ts';

/** The possible cost of an answer where it is sent; absent if it is not charged. */
export interface DestinationPrices {
  prices: AnswerPrice;
  /** Whether the hold counts on the prompt cache of another account. */
  isElsewhere: boolean;
}

/** The prices that were held or, at an account other than the one they were computed for, those without its prompt cache. */
export function findPrices(ports: Ports, trip: Trip, at: Destination): DestinationPrices | undefined {
  const held = trip.facts.answerPrices?.get(at.mapping);
  if (!held) return undefined;
  if (held.account === at.account) return { prices: held, isElsewhere: false };
  return { prices: findWorstCase(ports, trip, at), isElsewhere: true };
}

/** A stream that is held before it is sent, in part or whole. */
export interface HeldStream {
  prices: AnswerPrice;
  /** The amount owed for the answer before this part of it. */
  earlier: PicoUsd;
}

/** Holds the prompt and the first slice of a stream before it is sent. Throws if not even the least output is affordable. */
export async function holdFirstSlice(
  ports: Ports,
  trip: Trip,
  { prices, earlier }: HeldStream,
): Promise<void> {
  const floor = floorOf(trip);
  const held = trip.get('hold').amount;
  const missingFor = (tokens: number): PicoUsd =>
    earlier + prices.price(Math.min(tokens, prices.maxOutput)) - held;
  const amount = missingFor(Math.max(FIRST_SLICE, floor));
  if (amount <= 0n) return;
  const least = missingFor(floor);
  try {
    await growHold(ports, trip, { amount, leastAmount: least > 0n ? least : 1n, isUrgent: true });
  } catch (thrown) {
    if (least > 0n) throw thrown;
  }
}
