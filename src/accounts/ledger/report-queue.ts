/** Runs reports one after the other. A report covers all that is known when it starts. */
export class ReportQueue {
  readonly #run: (all: boolean) => Promise<void>;
  #timer: NodeJS.Timeout | undefined;
  #running: Promise<void> = Promise.resolve();
  /** The report behind the one that is under way. */
  #next: Promise<void> | undefined;
  #isAllAsked = false;

  /** `all`: of every lease, not only of those with a change. */
  constructor(run: (all: boolean) => Promise<void>) {
    this.#run = run;
  }

  /** Rejects if the database is unavailable. */
  report(all = false): Promise<void> {
    this.#isAllAsked ||= all;
    if (this.#next === undefined) {
      this.#next = this.#running.then(() => {
        this.#next = undefined;
        const isAll = this.#isAllAsked;
        this.#isAllAsked = false;
        return this.#run(isAll);
      });
      this.#running = this.#next.catch(() => undefined);
    }
    return this.#next;
  }

  /** Without waiting for it; a report that fails is repeated. */
  reportSoon(): void {
    this.report().catch(() => undefined);
  }

  /** Within this time, or within that of an earlier call. */
  reportWithin(ms: number): void {
    this.#timer ??= setTimeout(() => {
      this.#timer = undefined;
      this.reportSoon();
    }, ms).unref();
  }

  cancelTimer(): void {
    clearTimeout(this.#timer);
  }
}
