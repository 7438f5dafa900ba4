import { refuse } from '#wire';

/** No usable recording of speech has a lower bit rate: 8 kbit/s. */
export const LEAST_BYTES_PER_SECOND = 1_000;

/**
 * Refuses a file with more parts than recordings have: counting them all takes too long, and what is not counted could be
 * longer than the file's bytes show.
 */
export const refuseUncounted = (parts: string): never =>
  refuse('file', `has too many ${parts} to count its length`);

/** What a file says of its length, in seconds; absent where its format or codec is unknown. */
export interface Reading {
  /** Of all frames or packets in it, each as long as it may be. */
  counted?: number;
  /** In a header, which decoders need not believe: anybody can write any length there. Absent where the count is exact. */
  stated?: number;
}
