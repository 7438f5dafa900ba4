import { type Clock, type Deadline, startDeadline } from '#base';
import type { Call } from './batcher.ts';
import { createStoreTooSlow, isStoreDown } from './store-fault.ts';

interface RetryingWriterOptions<Item, Outcome> {
  clock: Clock;
  /** Who sends waits no longer than this; absent: as long as it takes. */
  limitMs?: number;
  write(call: Call<Item, Outcome>): void;
  /** The store has answered; late is when nobody waits any more. */
  onAnswer(item: Item, outcome: Outcome, isLate: boolean): void;
  /** The store may have done it or do it yet: told when it is given up, and again when that is over. */
  onUncertain?(item: Item): void;
}

/**
 * A connection that dies while idle shows at its next statement, at once or, where nothing tells of its death, when it is found
 * out; a store that hangs is not asked twice.
 */
const QUICK_MS = 1_000;

/** Takes items to a store that takes each as often as it comes: once more where its connection died, perhaps with the answer on it. */
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

/** One item on its way. It is what the batch holds on to and the only promise there is: every request makes two of these. */
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

  /** Nobody waits any more, but the work goes on. */
  #abandon(): void {
    this.#isLate = true;
    this.#options.onUncertain?.(this.item);
    this.#sender.reject(createStoreTooSlow());
  }
}
