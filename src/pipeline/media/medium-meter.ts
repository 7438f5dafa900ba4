import type { Finish } from '#canonical';
import type { Mapping } from '#catalogue';
import type { Estimate, MediaTask, Quantity } from '#media';
import type { Metered } from '../price/meter.ts';
import type { Bill, Trip } from '../request/trip.ts';
import { createUsage } from '#canonical';
import { priceQuantity } from '../price/price-quantity.ts';
import { NO_BILL } from '../path/refuse.ts';

const COMPLETE: Finish = { reason: 'stop' };

/** Measures what one request for a medium used: as the provider tells it, else as the task estimates it. */
export class MediumMeter implements Metered {
  readonly #trip: Trip;
  readonly #mapping: Mapping;
  readonly #task: MediaTask;
  #reported: Quantity | undefined;
  #bytes = 0;
  #isEnded = false;

  constructor(trip: Trip, mapping: Mapping) {
    this.#trip = trip;
    this.#mapping = mapping;
    this.#task = trip.get('task');
  }

  /** Bytes of the answer passed. */
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
    if (!this.#isEnded && !this.hasDelivered) return NO_BILL;
    const { usage, units, isExact = false } = this.#used;
    const provider = priceQuantity(this.#mapping, { usage, units });
    const customer = this.#trip.capAtHold(provider);
    return { usage, units, provider, customer, estimated: !isExact };
  }

  /** What was told, unless it is told in a measure that the mapping does not charge by: that would be silently free. */
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

/** Whether it counts what came, and nothing came; no tokens at all are as good as untold. */
function isNone({ units }: Quantity): boolean {
  return units.length > 0 && units.every(({ count }) => count === 0);
}
