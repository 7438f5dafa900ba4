import { type Clock, type Deadline, startDeadline } from '#base';
import type { Call } from './batcher.ts';
import { createStoreTooSlow, isStoreDown } from './store-fault.ts';

interface RetryingWriterOptions<Item, Outcome> {
  clock: Clock;
  /** The caller waits no longer than this; absent: no limit. */
  limitMs?: number;
  write(call: Call<Item, Outcome>): void;
  /** The store has answered; late if the caller has timed out. */
  onAnswer(item: Item, outcome: Outcome, isLate: boolean): void;
  /** The store may have executed it, or may yet: called on timeout, and again once the outcome is known. */
  onUncertain?(item: Item): void;
}

/**
 * A connection that broke while idle fails at its next statement, at once or when the loss is detected; a hanging
 * store is not called twice.
 */
const QUICK_MS = 1_000;

/** Sends items to a store where repeating is harmless: once more if the connection broke, perhaps after the write. */
export class RetryingWriter<Item, Outcome> {
  readonly #options: RetryingWriterOptions<Item, Outcome>;

  constructor(options: RetryingWriterOptions<Item, Outcome>) {
    this.#options = options;
  }

  send(item: Item): Promise<Outcome> {
    const pending = new PendingWrite(this.#options, item);
    this.#options.write(pending);
    return pending.answer;
  }
}

/** One queued item. Allocates a single promise because each request creates two of these. */
class PendingWrite<Item, Outcome> implements Call<Item, Outcome> {
  readonly item: Item;
  readonly #options: RetryingWriterOptions<Item, Outcome>;
  readonly #sender = Promise.withResolvers<Outcome>();
  readonly #startedMs: number;
  readonly #deadline: Deadline | undefined;
  #isRepeated = false;
  #isLate = false;

  constructor(options: RetryingWriterOptions<Item, Outcome>, item: Item) {
    const { clock, limitMs } = options;
    this.item = item;
    this.#options = options;
    this.#startedMs = clock.monotonicMs();
    if (limitMs !== undefined) this.#deadline = startDeadline(limitMs, () => this.#abandon());
  }

  get answer(): Promise<Outcome> {
    return this.#sender.promise;
  }

  resolve(outcome: Outcome): void {
    this.#deadline?.stop();
    this.#options.onAnswer(this.item, outcome, this.#isLate);
    this.#sender.resolve(outcome);
  }

  reject(error: unknown): void {
    const { clock, write, onUncertain } = this.#options;
    if (!this.#isRepeated && isStoreDown(error) && clock.monotonicMs() - this.#startedMs <= QUICK_MS) {
      this.#isRepeated = true;
      write(this);
      return;
    }
    this.#deadline?.stop();
    if (this.#isLate || isStoreDown(error)) onUncertain?.(this.item);
    this.#sender.reject(error);
  }

  /** The caller has timed out; keep writing in the background. */
  #abandon(): void {
    this.#isLate = true;
    this.#options.onUncertain?.(this.item);
    this.#sender.reject(createStoreTooSlow());
  }
}
