/** Open streams that wait for released money to grow their holds. */
export class ReleaseWaits {
  readonly #waiting = new Map<string, Set<(goesOn: boolean) => void>>();
  #isStopping = false;

  get isAwaited(): boolean {
    return this.#waiting.size > 0;
  }

  /** Resolves when money of this name is released, or after that time; with false once nothing waits any more. */
  wait(name: string, mostMs: number): Promise<boolean> {
    if (this.#isStopping) return Promise.resolve(false);
    const { promise, resolve } = Promise.withResolvers<boolean>();
    const waiting = this.#waiting.get(name) ?? new Set();
    this.#waiting.set(name, waiting);
    const end = (goesOn: boolean): void => {
      clearTimeout(timer);
      waiting.delete(end);
      if (waiting.size === 0) this.#waiting.delete(name);
      resolve(goesOn);
    };
    const timer = setTimeout(end, mostMs, true);
    waiting.add(end);
    return promise;
  }

  wake(names: readonly string[]): void {
    for (const name of names) for (const end of Array.from(this.#waiting.get(name) ?? [])) end(true);
  }

  /** The gateway stops: what waits gets its last answer now. */
  stop(): void {
    this.#isStopping = true;
    for (const waiting of Array.from(this.#waiting.values()))
      for (const end of Array.from(waiting)) end(false);
  }
}
