import { Timing } from './timing.ts';

/** Slower than the fastest by this factor and this time: too slow. */
const SLOW_FACTOR = 2;
const SLOW_MS = 250;
/** At this factor one sample is enough. */
const OBVIOUS_FACTOR = 4;
const LEAST_SAMPLES = 3;
/** An answer of ordinary length, to weigh the first event against the speed. */
const TYPICAL_TOKENS = 200;

export const TIMINGS = ['firstEvent', 'whole', 'toolEvent', 'toolWhole', 'perToken'] as const;
export type TimingName = (typeof TIMINGS)[number];

/** How fast a mapping is, by what its attempts have shown. */
export class MappingTimes {
  /** Milliseconds to the first event of a stream, to a whole answer, both with tools that run at the provider, and per token of a stream. */
  readonly firstEvent = new Timing();
  readonly whole = new Timing();
  readonly toolEvent = new Timing();
  readonly toolWhole = new Timing();
  readonly perToken = new Timing();

  /** The milliseconds that an ordinary stream takes, if known. */
  get expectedMs(): number | undefined {
    if (this.firstEvent.count === 0) return undefined;
    return this.firstEvent.mean + (this.perToken.count > 0 ? this.perToken.mean * TYPICAL_TOKENS : 0);
  }

  /** Whether it is much slower than another, by what is known of both; with few samples it has to be obvious. */
  isSlowerThan(other: MappingTimes, isSure = true): boolean {
    const samples = Math.min(this.firstEvent.count, other.firstEvent.count);
    if (samples === 0) return false;
    const tokens = this.perToken.count > 0 && other.perToken.count > 0 ? TYPICAL_TOKENS : 0;
    const own = this.firstEvent.mean + this.perToken.mean * tokens;
    const others = other.firstEvent.mean + other.perToken.mean * tokens;
    const factor = isSure && samples < LEAST_SAMPLES ? OBVIOUS_FACTOR : SLOW_FACTOR;
    return own > factor * others + SLOW_MS;
  }
}
