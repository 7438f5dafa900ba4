import type { Finish } from '#canonical';
import type { MeteredUsage } from '../../price/meter.ts';
import type { Bill } from '../../request/trip.ts';
import { sumBills } from '../sum-bills.ts';

/**
 * The meter of an attempt after others without an answer: the operator pays what their providers may bill, and the caller
 * pays as if there had been one attempt.
 */
class RouteMeter implements MeteredUsage {
  readonly #last: MeteredUsage;
  readonly #earlier: readonly Bill[];

  constructor(last: MeteredUsage, earlier: readonly Bill[]) {
    this.#last = last;
    this.#earlier = earlier;
  }

  get hasDelivered(): boolean {
    return this.#last.hasDelivered;
  }

  get finish(): Finish | undefined {
    return this.#last.finish;
  }

  get bill(): Bill {
    const { bill } = this.#last;
    const { owed, customer } = bill;
    const estimated = bill.estimated || owed === 0n;
    return { ...sumBills([bill, ...this.#earlier]), owed, customer, estimated, answered: bill };
  }
}

/** Adds the bills of earlier attempts; most have none. */
export function addEarlier(last: MeteredUsage, attempts: readonly MeteredUsage[]): MeteredUsage {
  const earlier = attempts.map(({ bill }) => bill).filter(({ provider }) => provider > 0n);
  return earlier.length === 0 ? last : new RouteMeter(last, earlier);
}
