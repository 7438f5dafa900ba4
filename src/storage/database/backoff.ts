import { randomInt } from 'node:crypto';

/** Delays that double up to a limit, each drawn from its upper half so that many clients do not retry at once. */
interface Backoff {
  nextMs(): number;
}

export function createBackoff({ firstMs, mostMs }: { firstMs: number; mostMs: number }): Backoff {
  let ceilingMs = firstMs;
  return {
    nextMs: () => {
      const waitMs = randomInt(Math.ceil(ceilingMs / 2), ceilingMs + 1);
      ceilingMs = Math.min(ceilingMs * 2, mostMs);
      return waitMs;
    },
  };
}
