/** What a budget allows. */
interface BudgetOptions {
  /** Extra calls per request. */
  share: number;
  /** Extra calls beyond that, also the first ones. */
  reserve: number;
  /** How many of the reserve come back per second. */
  perSecond: number;
}

/** Extra calls as a share of requests: where everything fails, they do not multiply the traffic. */
export class Budget {
  readonly #options: BudgetOptions;
  #left: number;
  /** Requests that wait for their answer; their shares are kept beside the reserve. */
  #waiting = 0;
  #refilledMs: number;

  constructor(options: BudgetOptions, nowMs: number) {
    this.#options = options;
    this.#left = options.reserve;
    this.#refilledMs = nowMs;
  }

  /** Adds the share of one request. */
  earn(): void {
    this.#add(this.#options.share);
  }

  /** Adds the share of one request, and keeps it until the request leaves. */
  enter(): void {
    this.#waiting += 1;
    this.earn();
  }

  /** A request that entered no longer waits for its answer. */
  leave(): void {
    this.#waiting -= 1;
  }

  /** Whether one extra call is left. */
  hasAny(nowMs: number): boolean {
    this.#add(((nowMs - this.#refilledMs) / 1_000) * this.#options.perSecond);
    this.#refilledMs = nowMs;
    return this.#left >= 1;
  }

  /** Takes one extra call; returns whether there was one. */
  spend(nowMs: number): boolean {
    if (!this.hasAny(nowMs)) return false;
    this.#left -= 1;
    return true;
  }

  /** Returns an extra call that was not made. */
  refund(): void {
    this.#add(1);
  }

  #add(count: number): void {
    const { reserve, share } = this.#options;
    this.#left = Math.min(reserve + share * this.#waiting, this.#left + count);
  }
}
