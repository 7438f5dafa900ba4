/** Gathers concurrent calls into one statement: one is in flight, all that arrives meanwhile goes with the next. */
export interface Batcher<Item, Outcome> {
  submit(item: Item): Promise<Outcome>;
  /** Resolves once nothing is queued or in flight. */
  drain(): Promise<void>;
}

export interface BatcherOptions<Item, Outcome> {
  /** Outcomes in the order of the items. */
  run(items: readonly Item[]): Promise<readonly Outcome[]>;
  /** Whether an error is one item's fault: then each is run alone, so that it harms none but itself. */
  isPoison(error: unknown): boolean;
  /** The answer to a call that finds the queue full. */
  createOverflow(): Error;
  largestBatch?: number;
  longestQueue?: number;
}

interface Entry<Item, Outcome> {
  item: Item;
  resolve(outcome: Outcome): void;
  reject(error: unknown): void;
}

export function createBatcher<Item, Outcome>(options: BatcherOptions<Item, Outcome>): Batcher<Item, Outcome> {
  const { largestBatch = 256, longestQueue = 8192 } = options;
  let queue: Entry<Item, Outcome>[] = [];
  let running: Promise<void> | undefined;

  async function work(): Promise<void> {
    await Promise.resolve(); // whoever calls in the same turn travels along
    while (queue.length > 0) {
      const batch = queue.slice(0, largestBatch);
      queue = queue.slice(largestBatch);
      await runBatch(options, batch);
    }
    running = undefined;
  }

  return {
    submit: (item) =>
      new Promise((resolve, reject) => {
        if (queue.length >= longestQueue) {
          reject(options.createOverflow());
          return;
        }
        queue.push({ item, resolve, reject });
        running ??= work();
      }),
    drain: async () => {
      while (running !== undefined) await running;
    },
  };
}

async function runBatch<Item, Outcome>(
  options: BatcherOptions<Item, Outcome>,
  batch: readonly Entry<Item, Outcome>[],
): Promise<void> {
  try {
    const outcomes = await options.run(batch.map((entry) => entry.item));
    if (outcomes.length !== batch.length)
      throw new Error('a batch came back with another number of outcomes');
    batch.forEach((entry, index) => entry.resolve(outcomes[index] as Outcome));
  } catch (error) {
    if (batch.length > 1 && options.isPoison(error)) {
      for (const entry of batch) await runBatch(options, [entry]);
      return;
    }
    for (const entry of batch) entry.reject(error);
  }
}
