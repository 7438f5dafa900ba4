import type { Clock } from '#base';

/** A clock that stands still until it is moved. */
export class TestClock implements Clock {
  #nowMs = Date.UTC(2026, 0, 1);
  #monotonicMs = 1_000;

  now(): number {
    return this.#nowMs;
  }

  monotonicMs(): number {
    return this.#monotonicMs;
  }

  advance(ms: number): void {
    this.#nowMs += ms;
    this.#monotonicMs += ms;
  }
}
