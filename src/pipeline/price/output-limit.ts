import type { PicoUsd } from '#base';
import type { AnswerPrice } from '../request/answer-price.ts';
import type { Trip } from '../request/trip.ts';

/** The output limit that the budget allows, if it is lower than the requested one. */
export const OUTPUT_LIMIT_HEADER = 'x-gateway-output-limit';
/** The least output to which a small budget shortens a request; below it the request is refused. A project may set its own. */
const LEAST_OUTPUT = 256;

export function floorOf(trip: Trip): number {
  return trip.get('caller').minOutputTokens ?? LEAST_OUTPUT;
}

/** Providers refuse a limit that leaves no room for the requested thinking budget. */
export function leastOutputOf(trip: Trip): number {
  return floorOf(trip) + (trip.get('request').reasoning?.budgetTokens ?? 0);
}

/** The longest output within these lengths that costs at most so much; the least if even that costs more. */
export function findAffordable(
  price: AnswerPrice['price'],
  amount: PicoUsd,
  { least, most }: { least: number; most: number },
): number {
  let [low, high] = [least, most];
  while (low < high) {
    const middle = Math.ceil((low + high) / 2);
    if (price(middle) <= amount) low = middle;
    else high = middle - 1;
  }
  return low;
}
