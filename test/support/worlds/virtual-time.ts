import { setImmediate as turn } from 'node:timers/promises';
import { systemClock } from '#base';

/** A timer of the virtual clock; what code does with Node's, such as `unref`, has no effect. */
class VirtualTimer {
  atMs: number;
  run: (() => void) | undefined;
  /** Of an interval. */
  readonly everyMs: number | undefined;

  constructor(atMs: number, run: () => void, everyMs?: number) {
    this.atMs = atMs;
    this.run = run;
    this.everyMs = everyMs;
  }

  ref(): this {
    return this;
  }

  unref(): this {
    return this;
  }
}

/**
 * Replaces the process's clock and timers until it is disposed, so that minutes pass in milliseconds and every run of a
 * seed is the same. Nothing else may run in the process meanwhile.
 */
export class VirtualTime implements Disposable {
  nowMs = 0;
  /** What may have made promises move since the last turn. */
  #isStirred = false;
  #timers: VirtualTimer[] = [];
  readonly #restore: () => void;

  constructor() {
    const { setTimeout, clearTimeout, setInterval, clearInterval } = globalThis;
    const { monotonicMs } = systemClock;
    const real = { setTimeout, clearTimeout, setInterval, clearInterval };
    this.#restore = () => {
      Object.assign(globalThis, real);
      systemClock.monotonicMs = monotonicMs;
    };
    const clear = (timer: VirtualTimer | undefined): void => {
      if (timer) timer.run = undefined;
    };
    Object.assign(globalThis, {
      setTimeout: (run: () => void, ms = 0) => this.#add(new VirtualTimer(this.nowMs + ms, run)),
      setInterval: (run: () => void, ms: number) => this.#add(new VirtualTimer(this.nowMs + ms, run, ms)),
      clearTimeout: clear,
      clearInterval: clear,
    });
    systemClock.monotonicMs = () => this.nowMs;
  }

  /** Lets promises run at the next turn: something has happened. */
  stir(): void {
    this.#isStirred = true;
  }

  /** Runs `work` at a time. */
  at(atMs: number, work: () => void): { run: (() => void) | undefined } {
    return this.#add(new VirtualTimer(atMs, work));
  }

  /** Lets time pass until nothing is left to happen; every timer runs at its time, in order. */
  async run(): Promise<void> {
    await turn();
    for (let timer = this.#take(); timer; timer = this.#take()) {
      this.nowMs = Math.max(this.nowMs, timer.atMs);
      const { run, everyMs } = timer;
      if (everyMs === undefined) this.#isStirred = true;
      else this.#add(Object.assign(timer, { atMs: this.nowMs + everyMs }));
      run?.();
      if (!this.#isStirred) continue;
      this.#isStirred = false;
      await turn();
    }
  }

  [Symbol.dispose](): void {
    this.#restore();
  }

  /** A binary heap by time. */
  #add(timer: VirtualTimer): VirtualTimer {
    const timers = this.#timers;
    let at = timers.length;
    timers.push(timer);
    while (at > 0) {
      const above = (at - 1) >> 1;
      const parent = timers[above] as VirtualTimer;
      if (parent.atMs <= timer.atMs) break;
      timers[at] = parent;
      at = above;
    }
    timers[at] = timer;
    return timer;
  }

  /** The next timer that was not cleared. */
  #take(): VirtualTimer | undefined {
    for (;;) {
      const first = this.#timers[0];
      const last = this.#timers.pop();
      if (!first || !last) return undefined;
      if (first !== last) this.#sink(last);
      if (first.run) return first;
    }
  }

  #sink(timer: VirtualTimer): void {
    const timers = this.#timers;
    let at = 0;
    for (;;) {
      let below = 2 * at + 1;
      const other = timers[below + 1];
      if (other && other.atMs < (timers[below] as VirtualTimer).atMs) below += 1;
      const child = timers[below];
      if (!child || child.atMs >= timer.atMs) break;
      timers[at] = child;
      at = below;
    }
    timers[at] = timer;
  }
}
