import type { MappingHealth } from './mapping-health.ts';
import type { Timing } from './timing.ts';

/** How many mean deviations above the mean a percentile is, of times that are normally distributed. */
const DEVIATIONS = { p50: 0, p75: 0.845, p90: 1.606, p99: 2.916 };

type Percentile = keyof typeof DEVIATIONS;

/** The most milliseconds at each percentile. */
export type SpeedCutoffs = Partial<Record<Percentile, number>>;

/** How fast mappings should be; slower ones come later. */
export interface WantedSpeed {
  firstEvent?: SpeedCutoffs;
  perToken?: SpeedCutoffs;
}

/** Whether a mapping is as fast as requested. One that has not been measured is. Pure. */
export function isFastEnough(
  { firstEvent, perToken }: Pick<MappingHealth, 'firstEvent' | 'perToken'>,
  wanted: WantedSpeed,
): boolean {
  return isWithin(firstEvent, wanted.firstEvent) && isWithin(perToken, wanted.perToken);
}

function isWithin(timing: Timing, cutoffs: SpeedCutoffs = {}): boolean {
  if (timing.count === 0) return true;
  return Object.entries(cutoffs).every(
    ([percentile, most]) => timing.above(DEVIATIONS[percentile as Percentile]) <= most,
  );
}
