/** How much the last attempt weighs in the share of failures. */
export const WEIGHT = 0.2;

/** The share of failures over the last few attempts. */
export class FailedShare {
  #attempts = 0;
  #answers = 0;
  #share = 0;

  get attempts(): number {
    return this.#attempts;
  }

  /** Answers since `resetAnswers`. */
  get answers(): number {
    return this.#answers;
  }

  get value(): number {
    return this.#share;
  }

  /** The first attempts weigh more, because there are no others yet. */
  count(failed: 0 | 1, weight = WEIGHT): void {
    this.#attempts += 1;
    this.#answers += 1 - failed;
    this.#share += Math.max(weight, 1 / this.#attempts) * (failed - this.#share);
  }

  /** An answer that counted when it began was cut. */
  uncount(weight = WEIGHT): void {
    this.#answers -= 1;
    this.#share = Math.min(1, this.#share / (1 - weight));
  }

  resetAnswers(): void {
    this.#answers = 0;
  }

  /** Takes a share for what this many attempts have shown; by default, as many as there were. */
  set(share: number, attempts = this.#attempts): void {
    this.#share = share;
    this.#attempts = attempts;
  }
}
