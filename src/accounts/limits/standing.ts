import type { RateLimit } from './rate-limits.ts';

/** How things stand with one limit. */
export interface Standing {
  limit: RateLimit;
  /** What counts now, a request that was just let in included. */
  used: number;
  /** How long until a refused request fits; 0 where this limit does not stand in its way, infinite where it never fits. */
  waitMs: number;
  /** How long until nothing counts any more, if nothing comes. */
  resetMs: number;
}
