import { type Clock, systemClock } from '#base';

/** The clock of the machine, moved forward at will. */
export class MovableClock implements Clock {
  #aheadMs = 0;

  now(): number {
    return systemClock.now() + this.#aheadMs;
  }

  monotonicMs(): number {
    return systemClock.monotonicMs() + this.#aheadMs;
  }

  advance(ms: number): void {
    this.#aheadMs += ms;
  }
}
