import type { RateLimit } from './rate-limits.ts';

/** The state of one limit. */
export interface LimitState {
  limit: RateLimit;
  /** The current count, including a request just admitted. */
  used: number;
  /** How long until a refused request fits; 0 if this limit does not refuse it, infinite if it never fits. */
  waitMs: number;
  /** How long until the count is zero if nothing else arrives. */
  resetMs: number;
}
