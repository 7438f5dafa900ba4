import { refuse } from '#wire';

/** No usable recording of speech has a lower bit rate: 8 kbit/s. */
export const LEAST_BYTES_PER_SECOND = 1_000;

/**
 * Refuses a file with more parts than recordings have: counting them takes too long, and the uncounted rest may be longer
 * than the bytes show.
 */
export const refuseUncounted = (parts: string): never =>
  refuse('file', `has too many ${parts} to count its length`);

/** The length that a file states or shows, in seconds; absent if its format or codec is unknown. */
export interface Reading {
  /** The total of all frames or packets, each at its longest. */
  counted?: number;
  /** In a header, which decoders need not believe: anybody can write any length there. Absent where the count is exact. */
  stated?: number;
}
