import type { Finish } from '#canonical';
import type { Mapping } from '#catalogue';
import type { Estimate, MediaTask, Quantity } from '#media';
import type { Metered } from './meter.ts';
import type { Bill, Trip } from './trip.ts';
import { priceQuantity } from './price-quantity.ts';
import { NO_BILL } from './refuse.ts';

const COMPLETE: Finish = { reason: 'stop' };

/** Measures what one request for a medium used: as the provider tells it, else as the task estimates it. */
export class MediumMeter implements Metered {
  readonly #trip: Trip;
  readonly #mapping: Mapping;
  readonly #task: MediaTask;
  #told: Quantity | undefined;
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

  tell(told: Quantity | undefined): void {
    this.#told = told ?? this.#told;
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
    const used: Estimate = this.#told ?? this.#task.estimate(this.#mapping, this.#bytes);
    const { usage, units, isExact = this.#told !== undefined } = used;
    const provider = priceQuantity(this.#mapping, { usage, units });
    const held = this.#trip.facts.hold?.amount ?? 0n;
    const customer = provider > held ? held : provider;
    return { usage, units, provider, customer, estimated: !isExact };
  }
}
