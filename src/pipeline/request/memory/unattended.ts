/** More would hold too many connections to providers; the rest of their answers is estimated. */
const MOST = 1_000;

/** Answers that are read to their end although their clients have left, because they are billed to their end. */
export class UnattendedAnswers {
  readonly #ends = new Set<() => void>();
  #isClosed = false;

  /** Whether one more may be read. */
  get isOpen(): boolean {
    return !this.#isClosed && this.#ends.size < MOST;
  }

  /** Whether the gateway has closed all connections. */
  get isStopped(): boolean {
    return this.#isClosed;
  }

  /** Adds an answer by the function that ends it. */
  add(end: () => void): void {
    this.#ends.add(end);
  }

  remove(end: () => void): void {
    this.#ends.delete(end);
  }

  /** Ends all of them and accepts no more: the gateway stops. */
  close(): void {
    this.#isClosed = true;
    for (const end of this.#ends) end();
  }
}
