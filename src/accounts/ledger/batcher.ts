/** Gathers concurrent calls into one statement: one is in flight, and all that arrive meanwhile go into the next. */
export interface Batcher<Item, Outcome> {
  submit(item: Item): Promise<Outcome>;
  /** The same without a promise, for callers with their own completion. */
  enter(call: Call<Item, Outcome>): void;
  /** Resolves once nothing is queued or in flight. */
  drain(): Promise<void>;
}

export interface BatcherOptions<Item, Outcome> {
  /** Outcomes in the order of the items. */
  run(items: readonly Item[]): Promise<readonly Outcome[]>;
  /** Whether an error is caused by a single item: then each is run alone, so that only that item fails. */
  isPoison(error: unknown): boolean;
  /** The error of a call that finds the queue full. */
  createOverflow(): Error;
  largestBatch?: number;
  longestQueue?: number;
}

/** An item of a batch and its callbacks, which never throw. */
export interface Call<Item, Outcome> {
  readonly item: Item;
  resolve(outcome: Outcome): void;
  reject(error: unknown): void;
}

export function createBatcher<Item, Outcome>(options: BatcherOptions<Item, Outcome>): Batcher<Item, Outcome> {
  const { largestBatch = 256, longestQueue = 8192 } = options;
  let queue: Call<Item, Outcome>[] = [];
  let running: Promise<void> | undefined;

  async function work(): Promise<void> {
    await Promise.resolve(); // calls of the same turn join the batch
    while (queue.length > 0) {
      const batch = queue.slice(0, largestBatch);
      queue = queue.slice(largestBatch);
      await runBatch(options, batch);
    }
    running = undefined;
  }

  function enter(call: Call<Item, Outcome>): void {
    if (queue.length >= longestQueue) {
      call.reject(options.createOverflow());
      return;
    }
    queue.push(call);
    running ??= work();
  }

  return {
    submit: (item) => new Promise((resolve, reject) => enter({ item, resolve, reject })),
    enter,
    drain: async () => {
      while (running !== undefined) await running;
    },
  };
}

async function runBatch<Item, Outcome>(
  options: BatcherOptions<Item, Outcome>,
  batch: readonly Call<Item, Outcome>[],
): Promise<void> {
  try {
    const outcomes = await options.run(batch.map((call) => call.item));
    if (outcomes.length !== batch.length) throw new Error('a batch returned a different number of outcomes');
    batch.forEach((call, index) => call.resolve(outcomes[index] as Outcome));
  } catch (error) {
    if (batch.length > 1 && options.isPoison(error)) {
      for (const call of batch) await runBatch(options, [call]);
      return;
    }
    for (const call of batch) call.reject(error);
  }
}
