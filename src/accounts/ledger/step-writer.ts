import type { Clock } from '#base';
import { Batcher, type RepeatTerms } from './batcher.ts';
import type { LedgerStore } from './ledger-store.ts';
import { createStoreTooSlow, isPoison, isStoreDown } from './store-fault.ts';
import {
  type OwnedSettlement,
  type ReserveOutcome,
  type ReserveTry,
  encodeSettlement,
} from './store-codec.ts';

/** A hold to create or to resolve. */
type Step = ReserveTry | Settling;
/** `encoded`: settled before, perhaps by another process. */
type Settling = OwnedSettlement | { encoded: object };

interface StepWriterOptions {
  store: LedgerStore;
  clock: Clock;
  /** How long the caller of a try waits. */
  storeLimitMs: number;
  /** How long the caller of a settlement waits; absent: no limit. */
  settleLimitMs: number | undefined;
  /** A try has its outcome; late if its caller has timed out. */
  onTried(attempt: ReserveTry, outcome: ReserveOutcome, isLate: boolean): void;
  /** A try may have created its hold, or may yet. */
  onUncertain(attempt: ReserveTry): void;
  onSettled(owned: OwnedSettlement): void;
}

type StepTerms<Item> = RepeatTerms<Item, ReserveOutcome | undefined>;

/** Creates and resolves holds; concurrent ones share one statement. Each may be repeated: it takes effect once. */
export class StepWriter {
  readonly #store: LedgerStore;
  readonly #batcher: Batcher<Step, ReserveOutcome | undefined>;
  readonly #tryTerms: StepTerms<ReserveTry>;
  readonly #settleTerms: StepTerms<OwnedSettlement>;

  constructor({ store, clock, storeLimitMs, settleLimitMs, ...on }: StepWriterOptions) {
    this.#store = store;
    this.#batcher = new Batcher({
      isPoison,
      createTooSlow: createStoreTooSlow,
      run: (steps) => this.#run(steps),
    });
    this.#tryTerms = {
      clock,
      limitMs: storeLimitMs,
      onAnswer: (attempt, outcome, isLate) => on.onTried(attempt, outcome as ReserveOutcome, isLate),
      onUncertain: on.onUncertain,
    };
    this.#settleTerms = { clock, limitMs: settleLimitMs, onAnswer: on.onSettled };
  }

  reserve(attempt: ReserveTry): Promise<ReserveOutcome> {
    return this.#batcher.submit(attempt, this.#tryTerms) as Promise<ReserveOutcome>;
  }

  async settle(owned: OwnedSettlement): Promise<void> {
    await this.#batcher.submit(owned, this.#settleTerms);
  }

  /** Settles what was encoded before, perhaps by another process. */
  async settleEncoded(encoded: object): Promise<void> {
    await this.#batcher.submit({ encoded });
  }

  drain(): Promise<void> {
    return this.#batcher.drain();
  }

  async #run(steps: readonly Step[]): Promise<(ReserveOutcome | undefined)[]> {
    const settlements = steps.filter((step) => 'settlement' in step);
    const tries = steps.filter((step) => 'request' in step);
    const isAnyEncoded = steps.some((step) => 'encoded' in step);
    const outcomes =
      settlements.length === 0 || isAnyEncoded
        ? await this.#step(steps, tries)
        : await this.#store.settleAll(settlements, tries).catch((error: unknown) => {
            if (isStoreDown(error)) throw error;
            return this.#step(steps, tries); // a hold is gone, or a row is odd
          });
    if (outcomes.length !== tries.length) throw new Error('a step returned a different number of outcomes');
    let next = 0;
    return steps.map((step) => ('request' in step ? outcomes[next++] : undefined));
  }

  #step(steps: readonly Step[], tries: readonly ReserveTry[]): Promise<ReserveOutcome[]> {
    const settlements = steps.filter((step): step is Settling => !('request' in step));
    const encoded = settlements.map((step) => ('encoded' in step ? step.encoded : encodeSettlement(step)));
    return this.#store.step(encoded, tries);
  }
}
