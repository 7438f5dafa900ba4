import { type Batcher, type Call, createBatcher } from './batcher.ts';
import { encodeShipment } from './encode-shipment.ts';
import { encodeStorableJson } from './storable-json.ts';
import { createStoreTooSlow, isPoison, isStoreDown } from './store-fault.ts';
import type { WindowClock } from './window-clock.ts';
import {
  type OwnedSettlement,
  type ReserveOutcome,
  type ReserveReply,
  type ReserveTry,
  decodeReply,
  encodeSettlement,
  encodeTry,
} from './wire.ts';

/** A hold to create or to resolve. */
type Step = ReserveTry | Settling;
/** `encoded`: settled before, perhaps by another process. */
type Settling = OwnedSettlement | { encoded: object };

interface StepWriterOptions {
  /** Calls an SQL function as the current owner, with these values behind its epoch. */
  call(name: string, text: string, values: unknown[]): Promise<ReserveReply[] | undefined>;
  windowClock: WindowClock | undefined;
}

/** Creates and resolves holds; concurrent ones share one statement. */
export class StepWriter {
  readonly #options: StepWriterOptions;
  readonly #steps: Batcher<Step, ReserveOutcome | undefined>;

  constructor(options: StepWriterOptions) {
    this.#options = options;
    this.#steps = createBatcher({
      isPoison,
      createOverflow: createStoreTooSlow,
      run: (steps) => this.#run(steps),
    });
  }

  reserve(call: Call<ReserveTry, ReserveOutcome>): void {
    this.#steps.enter(call);
  }

  settle(call: Call<OwnedSettlement, undefined>): void {
    this.#steps.enter(call);
  }

  async settleEncoded(encoded: object): Promise<void> {
    await this.#steps.submit({ encoded });
  }

  drain(): Promise<void> {
    return this.#steps.drain();
  }

  async #run(steps: readonly Step[]): Promise<(ReserveOutcome | undefined)[]> {
    const settlements = steps.filter((step) => 'settlement' in step);
    const tries = steps.filter((step) => 'request' in step);
    const isAnyEncoded = steps.some((step) => 'encoded' in step);
    const replies =
      settlements.length === 0 || isAnyEncoded
        ? await this.#step(steps, tries)
        : await this.#ship(settlements, tries).catch((error: unknown) => {
            if (isStoreDown(error)) throw error;
            return this.#step(steps, tries); // a hold is gone, or a row is odd
          });
    const outcomes = (replies ?? []).map(decodeReply);
    if (outcomes.length !== tries.length) throw new Error('a step returned a different number of outcomes');
    let next = 0;
    return steps.map((step) => ('request' in step ? outcomes[next++] : undefined));
  }

  /** The usual way of settlements: their holds exist and their rows can be stored. Fails as a whole otherwise. */
  #ship(settlements: readonly OwnedSettlement[], tries: readonly ReserveTry[]) {
    return this.#options.call('ship', 'SELECT ledger_ship($1, $2, $3, $4, $5, $6, $7) AS value', [
      ...encodeShipment(settlements, tries),
      encodeAll(tries.map(encodeTry)),
      this.#options.windowClock?.now() ?? null,
    ]);
  }

  /** The way of all steps. */
  #step(steps: readonly Step[], tries: readonly ReserveTry[]) {
    const settlements = steps.filter((step): step is Settling => !('request' in step));
    return this.#options.call('step', 'SELECT ledger_step($1, $2, $3, $4) AS value', [
      encodeAll(settlements.map((step) => ('encoded' in step ? step.encoded : encodeSettlement(step)))),
      encodeAll(tries.map(encodeTry)),
      this.#options.windowClock?.now() ?? null,
    ]);
  }
}

function encodeAll(items: readonly object[]): string | null {
  return items.length === 0 ? null : encodeStorableJson(items);
}
