import type { Mapping } from '#catalogue';
import type { MappingHealth, Standing } from './mapping-health.ts';

/** The first retry at the same mapping comes after about this long, each further one after twice as long. */
const BACK_OFF_MS = 60;
const MOST_BACK_OFF_MS = 1_000;
/** A pause longer than this is not waited for. */
const MOST_WAIT_MS = 2_000;
/** A request waits no longer than this for mappings that fail every time. */
const MOST_HOPELESS_MS = 1_000;
/** While another request finds out how a mapping is. */
const PROBED_MS = 50;

/** What a request has tried so far. */
export interface Tried {
  /** Calls by mapping. */
  counts: ReadonlyMap<Mapping, number>;
  /** How long the request has waited. */
  waitedMs: number;
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
  /** It may not be called now; after the wait the choice is made anew. */
  isClosed: boolean;
}

/**
 * The next mapping to try: in the order of the route what was not tried, then again what may be repeated, after a wait.
 * A mapping that is not to be called is waited for if its pause ends soon. Pure.
 */
export function chooseNext(
  route: readonly Mapping[],
  { counts, repeatable, waitedMs }: Tried,
  { nowMs, healthOf, jitter }: NextFacts,
): NextAttempt | undefined {
  const standingOf = (mapping: Mapping): Standing => healthOf(mapping).standingAt(nowMs);
  // A request that has failed elsewhere tries what fails every time only as its probe: an outage would multiply the calls.
  const mayTry = (mapping: Mapping): boolean =>
    counts.size === 0 || !healthOf(mapping).isHopeless || standingOf(mapping) === 'due';
  const isOpen = (mapping: Mapping): boolean => standingOf(mapping) !== 'closed' && mayTry(mapping);
  const fresh = route.filter((mapping) => !counts.has(mapping) && isOpen(mapping));
  const isGood = (mapping: Mapping): boolean =>
    standingOf(mapping) !== 'poor' && !healthOf(mapping).isLastResortAt(nowMs);
  const first = fresh.find(isGood) ?? fresh[0];
  if (first) return { mapping: first, waitMs: 0, isClosed: false };
  const probed = route.find((mapping) => !counts.has(mapping) && healthOf(mapping).isProbedAt(nowMs));
  if (probed && waitedMs < MOST_HOPELESS_MS) return { mapping: probed, waitMs: PROBED_MS, isClosed: true };
  const again = route
    .filter((mapping) => repeatable.has(mapping) && isOpen(mapping))
    .toSorted((a, b) => (counts.get(a) ?? 0) - (counts.get(b) ?? 0))[0];
  if (again) return { mapping: again, waitMs: jitter(backOff(counts.get(again) ?? 1)), isClosed: false };
  return chooseSoonest(
    route.filter((mapping) => mayTry(mapping) && (!counts.has(mapping) || repeatable.has(mapping))),
    { nowMs, healthOf, waitedMs },
  );
}

function chooseSoonest(
  closed: readonly Mapping[],
  { nowMs, healthOf, waitedMs }: Pick<NextFacts, 'nowMs' | 'healthOf'> & Pick<Tried, 'waitedMs'>,
): NextAttempt | undefined {
  const waits = closed
    .filter((mapping) => healthOf(mapping).isToldToWait || waitedMs < MOST_HOPELESS_MS)
    .map((mapping) => ({
      mapping,
      waitMs: Math.max(PROBED_MS, healthOf(mapping).pausedUntilMs - nowMs),
      isClosed: true,
    }));
  const [soonest] = waits.toSorted((a, b) => a.waitMs - b.waitMs);
  return soonest && soonest.waitMs <= MOST_WAIT_MS ? soonest : undefined;
}

function backOff(count: number): number {
  return Math.min(BACK_OFF_MS * 2 ** (count - 1), MOST_BACK_OFF_MS);
}
