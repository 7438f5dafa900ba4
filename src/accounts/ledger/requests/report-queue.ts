import type { Clock } from '#base';

/** The interval of reports: with the time to store one, settlements are written within a tenth of a second. */
const EVERY_MS = 75;

/** Runs reports one after the other. A report covers all that is known when it starts. */
export class ReportQueue {
  readonly #run: (all: boolean) => Promise<void>;
  readonly #clock: Pick<Clock, 'monotonicMs'>;
  #timer: NodeJS.Timeout | undefined;
  #running: Promise<void> = Promise.resolve();
  /** The report behind the one that is under way. */
  #next: Promise<void> | undefined;
  #isAllAsked = false;
  #startedMs = -Infinity;

  /** `all`: of every lease, not only of those with a change. */
  constructor(run: (all: boolean) => Promise<void>, clock: Pick<Clock, 'monotonicMs'>) {
    this.#run = run;
    this.#clock = clock;
  }

  /** Rejects if the database is unavailable. */
  report(all = false): Promise<void> {
    this.#isAllAsked ||= all;
    if (this.#next === undefined) {
      this.#next = this.#running.then(() => this.#start());
      this.#running = this.#next.catch(() => undefined);
    }
    return this.#next;
  }

  /** Without waiting for it; a report that fails is repeated. */
  reportSoon(): void {
    this.report().catch(() => undefined);
  }

  /** In the usual rhythm, which starts with the first. */
  reportNext(): void {
    const sinceMs = this.#clock.monotonicMs() - this.#startedMs;
    this.reportWithin(sinceMs < EVERY_MS ? EVERY_MS - sinceMs : EVERY_MS);
  }

  /** Reports after this time, unless a report is already planned. */
  reportWithin(ms: number): void {
    this.#timer ??= setTimeout(() => this.reportSoon(), ms).unref();
  }

  cancelTimer(): void {
    clearTimeout(this.#timer);
    this.#timer = undefined;
  }

  #start(): Promise<void> {
    this.cancelTimer();
    const all = this.#isAllAsked;
    [this.#next, this.#isAllAsked, this.#startedMs] = [undefined, false, this.#clock.monotonicMs()];
    return this.#run(all);
  }
}
