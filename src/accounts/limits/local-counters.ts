import type { Clock } from '#base';
import type { LimitKind, RateLimit } from './rate-limits.ts';
import type { LimitState } from './limit-state.ts';
import { SlidingWindow } from './sliding-window.ts';

/** A request that is counted. */
export interface LocalEntry {
  limits: readonly RateLimit[];
  tokens: number;
  atMs: number;
}

/** When a slot becomes free is unknown, so callers are asked to wait this long. */
const PLACE_WAIT_MS = 1_000;
const SWEEP_EVERY_MS = 60_000;

/** The amount one request counts. An empty prompt counts one token, so that an exhausted limit admits nothing. */
export function amountOf(kind: LimitKind, tokens: number): number {
  return kind === 'tokens' ? Math.max(1, Math.ceil(tokens)) : 1;
}

/** The local counters of a process. */
export class LocalCounters {
  readonly #clock: Clock;
  readonly #windows = new Map<string, SlidingWindow>();
  readonly #places = new Map<string, number>();
  #sweptMs: number;

  constructor(clock: Clock) {
    this.#clock = clock;
    this.#sweptMs = clock.monotonicMs();
  }

  /** The state of each limit, and for a request of that many tokens the time until it fits. */
  look(limits: readonly RateLimit[], tokens: number | undefined): LimitState[] {
    const nowMs = this.#clock.monotonicMs();
    return limits.map((limit) => ({
      limit,
      used: this.#usedOf(limit, nowMs),
      waitMs: tokens === undefined ? 0 : this.#waitOf(limit, tokens, nowMs),
      resetMs: this.#windows.get(limit.counter)?.resetMs(nowMs) ?? 0,
    }));
  }

  takeIfFits(limits: readonly RateLimit[], tokens: number): LocalEntry | undefined {
    const nowMs = this.#clock.monotonicMs();
    const fits = limits.every((limit) => this.#waitOf(limit, tokens, nowMs) === 0);
    return fits ? this.take(limits, tokens) : undefined;
  }

  /** Counts a request, whether it fits or not. */
  take(limits: readonly RateLimit[], tokens: number): LocalEntry {
    const atMs = this.#clock.monotonicMs();
    if (atMs - this.#sweptMs >= SWEEP_EVERY_MS) this.#sweep(atMs);
    for (const { kind, counter } of limits) {
      if (kind === 'concurrency') this.#places.set(counter, (this.#places.get(counter) ?? 0) + 1);
      else this.#windowOf(counter).add(amountOf(kind, tokens), atMs);
    }
    return { limits, tokens, atMs };
  }

  /** Frees the slot. Tokens used beyond the estimate count from now on; unused ones are subtracted. */
  end({ limits, tokens, atMs }: LocalEntry, used: number): void {
    for (const { kind, counter } of limits) {
      if (kind === 'concurrency') this.#giveBack(counter);
      if (kind !== 'tokens') continue;
      const difference = Math.ceil(used) - amountOf(kind, tokens);
      this.#windowOf(counter).add(difference, difference < 0 ? atMs : this.#clock.monotonicMs());
    }
  }

  /** How many counters are held in memory. */
  get size(): number {
    return this.#windows.size + this.#places.size;
  }

  #giveBack(counter: string): void {
    const left = (this.#places.get(counter) ?? 0) - 1;
    if (left > 0) this.#places.set(counter, left);
    else this.#places.delete(counter);
  }

  #usedOf({ kind, counter }: RateLimit, nowMs: number): number {
    if (kind === 'concurrency') return this.#places.get(counter) ?? 0;
    return this.#windows.get(counter)?.used(nowMs) ?? 0;
  }

  #waitOf(limit: RateLimit, tokens: number, nowMs: number): number {
    const { kind, counter, most } = limit;
    if (kind === 'concurrency') return this.#usedOf(limit, nowMs) < most ? 0 : PLACE_WAIT_MS;
    return this.#windowOf(counter).waitFor(amountOf(kind, tokens), most, nowMs);
  }

  #windowOf(counter: string): SlidingWindow {
    let window = this.#windows.get(counter);
    if (!window) this.#windows.set(counter, (window = new SlidingWindow()));
    return window;
  }

  #sweep(nowMs: number): void {
    this.#sweptMs = nowMs;
    for (const [counter, window] of this.#windows)
      if (window.used(nowMs) === 0) this.#windows.delete(counter);
  }
}
