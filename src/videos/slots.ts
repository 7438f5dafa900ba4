/** Work that is under way, so much of it at most: what hangs keeps a place of its own, and nobody else waiting. */
export class Slots {
  readonly #most: number;
  readonly #running = new Set<Promise<void>>();
  #fault: { thrown: unknown } | undefined;

  constructor(most: number) {
    this.#most = most;
  }

  /** Waits until there is room, and gives how much. Throws what work that has ended meanwhile threw. */
  async findRoom(): Promise<number> {
    if (this.#running.size >= this.#most) await Promise.race(this.#running);
    const fault = this.#fault;
    this.#fault = undefined;
    if (fault) throw fault.thrown;
    return this.#most - this.#running.size;
  }

  /** Begins work that nobody waits for. */
  begin(work: () => Promise<void>): void {
    const running = work()
      .catch((thrown: unknown) => void (this.#fault ??= { thrown }))
      .finally(() => this.#running.delete(running));
    this.#running.add(running);
  }

  /** Resolves when nothing is under way. */
  async settle(): Promise<void> {
    await Promise.all(this.#running);
  }
}
