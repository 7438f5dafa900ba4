import { type Clock, type Deadline, startDeadline } from '#base';

export interface BatcherOptions<Item, Outcome> {
  /** Outcomes in the order of the items. */
  run(items: readonly Item[]): Promise<readonly Outcome[]>;
  /** Whether an error is caused by a single item: then each is run alone, so that only that item fails. */
  isPoison(error: unknown): boolean;
  /** The error of a call that finds the queue full or exceeds its limit. */
  createTooSlow(): Error;
  largestBatch?: number;
  longestQueue?: number;
}

/** Terms for items that may be repeated: they are sent once more if the connection broke, perhaps after the write. */
export interface RepeatTerms<Item, Outcome> {
  clock: Pick<Clock, 'monotonicMs'>;
  /** The caller waits no longer than this; absent: no limit. */
  limitMs?: number | undefined;
  /** The outcome is known; late if the caller has timed out. */
  onAnswer(item: Item, outcome: Outcome, isLate: boolean): void;
  /** The item may have been run, or may yet: called on timeout, and again once the outcome is known. */
  onUncertain?(item: Item): void;
}

/** A connection that broke while idle fails at its next statement, at once or when the loss is detected. */
const QUICK_MS = 1_000;

/** Gathers concurrent calls into one statement: one is in flight, and all that arrive meanwhile go into the next. */
export class Batcher<Item, Outcome> {
  readonly #options: BatcherOptions<Item, Outcome>;
  readonly #largestBatch: number;
  readonly #longestQueue: number;
  #queue: Call<Item, Outcome>[] = [];
  #running: Promise<void> | undefined;

  constructor(options: BatcherOptions<Item, Outcome>) {
    this.#options = options;
    this.#largestBatch = options.largestBatch ?? 256;
    this.#longestQueue = options.longestQueue ?? 8192;
  }

  submit(item: Item, terms?: RepeatTerms<Item, Outcome>): Promise<Outcome> {
    const call = new Call(this.#options, item, terms);
    this.#enter(call);
    return call.answer;
  }

  /** Resolves once nothing is queued or in flight. */
  async drain(): Promise<void> {
    while (this.#running !== undefined) await this.#running;
  }

  #enter(call: Call<Item, Outcome>): void {
    if (this.#queue.length >= this.#longestQueue) call.reject(this.#options.createTooSlow(), call.isRepeated);
    else {
      this.#queue.push(call);
      this.#running ??= this.#work();
    }
  }

  async #work(): Promise<void> {
    await Promise.resolve(); // calls of the same turn join the batch
    while (this.#queue.length > 0) {
      const batch = this.#queue.slice(0, this.#largestBatch);
      this.#queue = this.#queue.slice(this.#largestBatch);
      await this.#runBatch(batch);
    }
    this.#running = undefined;
  }

  async #runBatch(batch: readonly Call<Item, Outcome>[]): Promise<void> {
    try {
      const outcomes = await this.#options.run(batch.map((call) => call.item));
      if (outcomes.length !== batch.length)
        throw new Error('a batch returned a different number of outcomes');
      batch.forEach((call, index) => call.resolve(outcomes[index] as Outcome));
    } catch (error) {
      if (batch.length > 1 && this.#options.isPoison(error))
        for (const call of batch) await this.#runBatch([call]);
      else for (const call of batch) this.#fail(call, error);
    }
  }

  #fail(call: Call<Item, Outcome>, error: unknown): void {
    const isLost = !this.#options.isPoison(error);
    if (isLost && call.mayRepeat()) this.#enter(call);
    else call.reject(error, isLost);
  }
}

/** One queued item. Allocates a single promise because each request creates two of these. */
class Call<Item, Outcome> {
  readonly item: Item;
  readonly #options: BatcherOptions<Item, Outcome>;
  readonly #terms: RepeatTerms<Item, Outcome> | undefined;
  readonly #sender = Promise.withResolvers<Outcome>();
  readonly #startedMs: number;
  readonly #deadline: Deadline | undefined;
  #isRepeated = false;
  #isLate = false;

  constructor(
    options: BatcherOptions<Item, Outcome>,
    item: Item,
    terms: RepeatTerms<Item, Outcome> | undefined,
  ) {
    this.item = item;
    this.#options = options;
    this.#terms = terms;
    this.#startedMs = terms?.clock.monotonicMs() ?? 0;
    if (terms?.limitMs !== undefined) this.#deadline = startDeadline(terms.limitMs, () => this.#abandon());
  }

  get answer(): Promise<Outcome> {
    return this.#sender.promise;
  }

  /** Whether it was sent before, without an answer. */
  get isRepeated(): boolean {
    return this.#isRepeated;
  }

  /** Once, and soon: a hanging store is not called twice. */
  mayRepeat(): boolean {
    if (this.#terms === undefined || this.#isRepeated) return false;
    this.#isRepeated = true;
    return this.#terms.clock.monotonicMs() - this.#startedMs <= QUICK_MS;
  }

  resolve(outcome: Outcome): void {
    this.#deadline?.stop();
    this.#terms?.onAnswer(this.item, outcome, this.#isLate);
    this.#sender.resolve(outcome);
  }

  reject(error: unknown, isLost: boolean): void {
    this.#deadline?.stop();
    if (this.#isLate || isLost) this.#terms?.onUncertain?.(this.item);
    this.#sender.reject(error);
  }

  /** The caller has timed out; the work continues. */
  #abandon(): void {
    this.#isLate = true;
    this.#terms?.onUncertain?.(this.item);
    this.#sender.reject(this.#options.createTooSlow());
  }
}
