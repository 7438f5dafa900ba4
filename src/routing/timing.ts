/** How much a new sample weighs; the mean of the last few. */
const WEIGHT = 0.2;
const DEVIATIONS = 4;

/** A running mean and mean deviation, as TCP keeps for its round trips. */
export class Timing {
  #mean = 0;
  #deviation = 0;
  #count = 0;

  get count(): number {
    return this.#count;
  }

  get mean(): number {
    return this.#mean;
  }

  /** Hardly any sample is above it. */
  get high(): number {
    return this.above(DEVIATIONS);
  }

  /** The mean, or less where samples differ from it by more than half: then it shows little of an ordinary one. */
  get steady(): number {
    return Math.max(0, Math.min(this.#mean, 2 * (this.#mean - this.#deviation)));
  }

  /** The time at this many mean deviations above the mean. */
  above(deviations: number): number {
    return this.#mean + deviations * this.#deviation;
  }

  add(value: number): void {
    this.#count += 1;
    if (this.#count === 1) {
      this.#mean = value;
      this.#deviation = value / 2;
      return;
    }
    const difference = value - this.#mean;
    this.#mean += WEIGHT * difference;
    this.#deviation += WEIGHT * (Math.abs(difference) - this.#deviation);
  }

  reset(): void {
    this.#count = 0;
  }
}

/** So many of the last samples are kept. */
const KEPT = 32;

/** Keeps the last samples too: for answers of very different lengths, mean and deviation mean little. */
export class SampledTiming extends Timing {
  readonly #samples: number[] = [];

  override add(value: number): void {
    super.add(value);
    this.#samples[(this.count - 1) % KEPT] = value;
  }

  override reset(): void {
    super.reset();
    this.#samples.length = 0;
  }

  /** The share of samples above this time; never 0, however long it is. */
  shareAbove(ms: number): number {
    let above = 1;
    for (const sample of this.#samples) if (sample > ms) above += 1;
    return above / (this.#samples.length + 1);
  }
}
