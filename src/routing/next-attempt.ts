import type { Mapping } from '#catalogue';
import type { MappingHealth } from './mapping-health.ts';

/** The first retry at the same mapping comes after about this long, each further one after twice as long. */
const BACK_OFF_MS = 60;
const MOST_BACK_OFF_MS = 1_000;
/** A pause longer than this is not waited for. */
const MOST_WAIT_MS = 2_000;

/** What a request has tried so far. */
export interface Tried {
  /** Calls by mapping. */
  counts: ReadonlyMap<Mapping, number>;
  /** Mappings that may be called again: their failure was not the request's fault. */
  repeatable: ReadonlySet<Mapping>;
}

interface NextFacts {
  nowMs: number;
  healthOf(mapping: Mapping): MappingHealth;
  /** Varies a time, so that the retries of many requests do not come together. */
  jitter(ms: number): number;
}

export interface NextAttempt {
  mapping: Mapping;
  waitMs: number;
}

/**
 * The next mapping to try: in the order of the route what was not tried, then again what may be repeated, after a wait.
 * A mapping that is not to be called is waited for if its pause ends soon. Pure.
 */
export function chooseNext(
  route: readonly Mapping[],
  { counts, repeatable }: Tried,
  { nowMs, healthOf, jitter }: NextFacts,
): NextAttempt | undefined {
  const isOpen = (mapping: Mapping): boolean => healthOf(mapping).standingAt(nowMs) !== 'closed';
  const fresh = route.filter((mapping) => !counts.has(mapping));
  const first = fresh.find(isOpen);
  if (first) return { mapping: first, waitMs: 0 };
  const again = route
    .filter((mapping) => repeatable.has(mapping) && isOpen(mapping))
    .toSorted((a, b) => (counts.get(a) ?? 0) - (counts.get(b) ?? 0))[0];
  if (again) return { mapping: again, waitMs: jitter(backOff(counts.get(again) ?? 1)) };
  return chooseSoonest(
    route.filter((mapping) => !counts.has(mapping) || repeatable.has(mapping)),
    { nowMs, healthOf },
  );
}

function chooseSoonest(
  closed: readonly Mapping[],
  { nowMs, healthOf }: Pick<NextFacts, 'nowMs' | 'healthOf'>,
): NextAttempt | undefined {
  const waits = closed.map((mapping) => ({ mapping, waitMs: healthOf(mapping).pausedUntilMs - nowMs }));
  const [soonest] = waits.toSorted((a, b) => a.waitMs - b.waitMs);
  return soonest && soonest.waitMs <= MOST_WAIT_MS ? soonest : undefined;
}

function backOff(count: number): number {
  return Math.min(BACK_OFF_MS * 2 ** (count - 1), MOST_BACK_OFF_MS);
}
