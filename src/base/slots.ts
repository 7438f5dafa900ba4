/** Limits concurrent work: a hanging task occupies only its own slot. */
export class Slots {
  readonly #most: number;
  readonly #running = new Set<Promise<void>>();
  #fault: { thrown: unknown } | undefined;

  constructor(most: number) {
    this.#most = most;
  }

  /** Waits for free slots and returns how many. Throws the error of a task that failed meanwhile. */
  async findRoom(): Promise<number> {
    if (this.#running.size >= this.#most) await Promise.race(this.#running);
    const fault = this.#fault;
    this.#fault = undefined;
    if (fault) throw fault.thrown;
    return this.#most - this.#running.size;
  }

  /** Starts a task in the background. */
  begin(work: () => Promise<void>): void {
    const running = work()
      .catch((thrown: unknown) => void (this.#fault ??= { thrown }))
      .finally(() => this.#running.delete(running));
    this.#running.add(running);
  }

  /** Resolves when no task is running. */
  async settle(): Promise<void> {
    await Promise.all(this.#running);
  }
}
