import type { Clock } from '#base';
import { createLru } from '#base';

const WINDOW_MS = 60_000;
const MOST_ROWS = 20_000;
const MOST_KEYS = 10_000;

/** Limits the rows of rejected requests per key, so that a client in a loop cannot fill the disk. */
export class RejectAllowance {
  readonly #clock: Clock;
  readonly #windows = createLru<string, { startMs: number; rows: number }>(MOST_KEYS);

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  take(keyId: string): boolean {
    const nowMs = this.#clock.monotonicMs();
    let window = this.#windows.get(keyId);
    if (window === undefined || nowMs - window.startMs >= WINDOW_MS) {
      window = { startMs: nowMs, rows: 0 };
      this.#windows.set(keyId, window);
    }
    window.rows += 1;
    return window.rows <= MOST_ROWS;
  }
}
