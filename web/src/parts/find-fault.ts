/** Why a query has no answer. */
export interface Tried {
  error: Error | null;
  /** Of tries that follow one another; the last of them is an error. */
  failureCount: number;
  failureReason: Error | null;
}

/** How many tries, a second apart, fail before the fault is shown; other requests continue meanwhile. */
const TRIES = 2;

/** Why a query could not be read, before all of its tries have failed. */
export const findFault = ({ error, failureCount, failureReason }: Tried): Error | null =>
  error ?? (failureCount >= TRIES ? failureReason : null);
