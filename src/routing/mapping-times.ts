import { SampledTiming, Timing } from './timing.ts';

/** Slower than the fastest by this factor and this time: too slow. */
const SLOW_FACTOR = 2;
const SLOW_MS = 250;
/** At this factor one sample is enough. */
const OBVIOUS_FACTOR = 4;
const LEAST_SAMPLES = 3;
/** An answer of ordinary length, to weigh the first event against the speed. */
const TYPICAL_TOKENS = 200;
/** Beginning an answer takes a provider as long as generating at least, and at most, so many tokens. */
const LEAST_START_TOKENS = 30;
const MOST_START_TOKENS = 200;

export const TIMINGS = [
  'firstEvent',
  'longEvent',
  'whole',
  'longWhole',
  'toolEvent',
  'toolWhole',
  'perToken',
  'answer',
  'answerLength',
  'silence',
] as const;
export type TimingName = (typeof TIMINGS)[number];

/** How fast a mapping is, by what its attempts have shown. */
export class MappingTimes {
  /** Milliseconds to the first event of a stream, to a whole answer, both for long prompts and with tools that run at the provider, and per token of a stream. */
  readonly firstEvent = new Timing();
  readonly longEvent = new Timing();
  readonly whole = new SampledTiming();
  readonly longWhole = new SampledTiming();
  readonly toolEvent = new Timing();
  readonly toolWhole = new Timing();
  readonly perToken = new Timing();
  /** The milliseconds of answers that arrived whole once more, to be compared with their length (`lengthOf`). */
  readonly answer = new Timing();
  readonly answerLength = new Timing();
  /** The longest silence within a stream, in milliseconds. */
  readonly silence = new Timing();

  /** The milliseconds that an ordinary stream takes, if known, or an answer that comes whole. */
  get expectedMs(): number | undefined {
    const { perToken } = this;
    const first = this.firstEvent.count > 0 ? this.firstEvent : this.longEvent;
    if (first.count > 0) return first.mean + (perToken.count > 0 ? perToken.mean * TYPICAL_TOKENS : 0);
    return this.answer.count > 0 ? this.answer.mean : undefined;
  }

  /** Whether both have answered in the same way, so that their times can be compared; the lengths of whole answers differ. */
  isComparableTo(other: MappingTimes): boolean {
    const wholes = compareWholes(this, other)?.samples ?? 0;
    return listStreams(this, other).some((compared) => compared) || wholes >= LEAST_SAMPLES;
  }

  /**
   * Whether it is much slower than another, as far as both are measured; with few samples the difference must be obvious.
   */
  isSlowerThan(other: MappingTimes, isSure = true): boolean {
    return [...listStreams(this, other), compareWholes(this, other)].some((compared) => {
      if (!compared) return false;
      const factor = isSure && compared.samples < LEAST_SAMPLES ? OBVIOUS_FACTOR : SLOW_FACTOR;
      return compared.own > factor * compared.others + SLOW_MS;
    });
  }

  protected resetSpeed(): void {
    for (const timing of [this.firstEvent, this.longEvent, this.perToken, this.answer, this.answerLength])
      timing.reset();
  }
}

/** The times of two mappings for the same work. */
interface Compared {
  own: number;
  others: number;
  samples: number;
}

/** Streams of ordinary and of long prompts, each by themselves. */
function listStreams(own: MappingTimes, other: MappingTimes): (Compared | undefined)[] {
  return (['firstEvent', 'longEvent'] as const).map((name) => {
    const samples = Math.min(own[name].count, other[name].count);
    if (samples === 0) return undefined;
    const tokens = own.perToken.count > 0 && other.perToken.count > 0 ? TYPICAL_TOKENS : 0;
    return {
      own: own[name].steady + own.perToken.mean * tokens,
      others: other[name].mean + other.perToken.mean * tokens,
      samples,
    };
  });
}

/** The most time that the other would take for answers of this length, so that a long answer alone does not seem slow. */
function compareWholes(own: MappingTimes, other: MappingTimes): Compared | undefined {
  const samples = Math.min(own.answerLength.count, other.answerLength.count);
  if (samples === 0) return undefined;
  const [length, known] = [own.answerLength.mean, other.answerLength.mean];
  const start = length > known ? LEAST_START_TOKENS : MOST_START_TOKENS;
  return { own: own.answer.mean, others: (other.answer.mean * (length + start)) / (known + start), samples };
}
