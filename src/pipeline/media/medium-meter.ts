import type { Finish } from '#canonical';
import type { Mapping } from '#catalogue';
import type { Estimate, MediaTask, Quantity } from '#media';
import type { AttemptMeter } from '../price/meter.ts';
import { type Bill, NO_BILL, type Trip } from '../request/trip.ts';
import { createUsage } from '#canonical';
import { priceQuantity } from '../price/price-quantity.ts';

const COMPLETE: Finish = { reason: 'stop' };

/** Measures what one media request used: as the provider reports it, otherwise as the task estimates it. */
export class MediumMeter implements AttemptMeter {
  readonly #trip: Trip;
  readonly #mapping: Mapping;
  readonly #task: MediaTask;
  #reported: Quantity | undefined;
  #bytes = 0;
  #isEnded = false;
  #isSent = false;
  #leftUnanswered = false;
  /** Whether the provider may bill an answer of which nothing arrived. */
  #mayBeBilled = false;

  constructor(trip: Trip, mapping: Mapping) {
    this.#trip = trip;
    this.#mapping = mapping;
    this.#task = trip.get('task');
  }

  send(): void {
    this.#isSent = true;
  }

  leave(): void {
    this.#leftUnanswered = !this.hasDelivered;
  }

  stop(mayBeBilled: boolean): void {
    this.#mayBeBilled = this.#isSent && mayBeBilled;
  }

  /** Counts relayed bytes. */
  addBytes(count: number): void {
    this.#bytes += count;
  }

  report(reported: Quantity | undefined): void {
    this.#reported = reported ?? this.#reported;
  }

  end(): void {
    this.#isEnded = true;
  }

  get hasDelivered(): boolean {
    return this.#bytes > 0;
  }

  get finish(): Finish | undefined {
    return this.#isEnded ? COMPLETE : undefined;
  }

  get bill(): Bill {
    const isAnswered = this.#isEnded || this.hasDelivered;
    if (!isAnswered && !this.#mayBeBilled) return NO_BILL;
    const { usage, units, isExact = false } = this.#used;
    const provider = priceQuantity(this.#mapping, { usage, units });
    const owed = isAnswered && !this.#leftUnanswered ? provider : 0n;
    return { usage, units, provider, owed, customer: this.#trip.capAtHold(owed), estimated: !isExact };
  }

  /** The reported usage, unless its unit is not the one the mapping charges by: that would silently be free. */
  get #used(): Estimate {
    const reported = this.#reported;
    if (reported && (this.#isCharged(reported) || isNone(reported))) return { ...reported, isExact: true };
    const estimate = this.#task.estimate(this.#mapping, this.#bytes);
    return reported && !this.#isCharged(estimate) ? { ...reported, isExact: true } : estimate;
  }

  #isCharged(quantity: Quantity): boolean {
    const nothing = { usage: createUsage(), units: [] };
    return priceQuantity(this.#mapping, quantity) > priceQuantity(this.#mapping, nothing);
  }
}

/** Whether nothing was counted; a report of zero tokens counts as no report. */
function isNone({ units }: Quantity): boolean {
  return units.length > 0 && units.every(({ count }) => count === 0);
}
