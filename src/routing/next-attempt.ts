import type { HealthState, MappingHealth } from './mapping-health.ts';

/** The first retry at the same mapping comes after about this long, each further one after twice as long. */
const BACK_OFF_MS = 60;
const MOST_BACK_OFF_MS = 1_000;
/** A pause longer than this is not waited for. */
const MOST_WAIT_MS = 2_000;
/** A request waits no longer than this for mappings that fail every time. */
const MOST_FAILING_MS = 1_000;
/** While another request probes a mapping. */
const PROBED_MS = 50;

/** What a request has tried so far; a candidate is a mapping, with one of its provider's credentials. */
interface TriedCalls<C> {
  /** Calls by candidate. */
  counts: ReadonlyMap<C, number>;
  /** How long the request has waited. */
  waitedMs: number;
  /** The part of it since its last call. */
  waitedNowMs: number;
  /** Candidates that may be called again: their failure was not the request's fault. */
  repeatable: ReadonlySet<C>;
}

interface NextFacts<C> {
  nowMs: number;
  healthOf(candidate: C): MappingHealth;
  /** Varies a time, so that the retries of many requests do not come together. */
  jitter(ms: number): number;
}

export interface NextAttempt<C> {
  candidate: C;
  waitMs: number;
  /** It may not be called now; after the wait the choice is repeated. */
  isClosed: boolean;
}

/**
 * The next candidate to try: untried ones in the order of the route, then those that may be repeated, after a wait. A
 * paused candidate is waited for if its pause ends soon. Pure.
 */
export function chooseNext<C>(
  route: readonly C[],
  { counts, repeatable, waitedMs, waitedNowMs }: TriedCalls<C>,
  { nowMs, healthOf, jitter }: NextFacts<C>,
): NextAttempt<C> | undefined {
  const stateOf = (candidate: C): HealthState => healthOf(candidate).stateAt(nowMs);
  // After a failure elsewhere, a mapping that always fails is only tried as a probe: else an outage multiplies the calls.
  const mayTry = (candidate: C): boolean =>
    counts.size === 0 || !healthOf(candidate).isFailing || stateOf(candidate) === 'due';
  const isOpen = (candidate: C): boolean => stateOf(candidate) !== 'closed' && mayTry(candidate);
  const isFresh = (candidate: C): boolean => !counts.has(candidate) && isOpen(candidate);
  const isGood = (candidate: C): boolean =>
    isFresh(candidate) && stateOf(candidate) !== 'poor' && !healthOf(candidate).isLastResortAt(nowMs);
  const first = route.find(isGood) ?? route.find(isFresh);
  if (first) return { candidate: first, waitMs: 0, isClosed: false };
  const probed = route.find((candidate) => !counts.has(candidate) && healthOf(candidate).isProbedAt(nowMs));
  if (probed && waitedMs < MOST_FAILING_MS) return { candidate: probed, waitMs: PROBED_MS, isClosed: true };
  const again = route
    .filter((candidate) => repeatable.has(candidate) && isOpen(candidate))
    .toSorted((a, b) => (counts.get(a) ?? 0) - (counts.get(b) ?? 0))[0];
  if (again) {
    // The wait for the end of a pause counts: else requests that arrive then are sent first, and may begin the next pause.
    const waitMs = Math.max(0, jitter(backOff(counts.get(again) ?? 1)) - waitedNowMs);
    return { candidate: again, waitMs, isClosed: false };
  }
  return chooseSoonest(
    route.filter((candidate) => mayTry(candidate) && (!counts.has(candidate) || repeatable.has(candidate))),
    { nowMs, healthOf, waitedMs },
  );
}

function chooseSoonest<C>(
  closed: readonly C[],
  { nowMs, healthOf, waitedMs }: Pick<NextFacts<C>, 'nowMs' | 'healthOf'> & Pick<TriedCalls<C>, 'waitedMs'>,
): NextAttempt<C> | undefined {
  const waits = closed
    .filter((candidate) => healthOf(candidate).hasRetryAfter || waitedMs < MOST_FAILING_MS)
    .map((candidate) => ({
      candidate,
      waitMs: Math.max(PROBED_MS, healthOf(candidate).pausedUntilMs - nowMs),
      isClosed: true,
    }));
  const [soonest] = waits.toSorted((a, b) => a.waitMs - b.waitMs);
  return soonest && soonest.waitMs <= MOST_WAIT_MS ? soonest : undefined;
}

function backOff(count: number): number {
  return Math.min(BACK_OFF_MS * 2 ** (count - 1), MOST_BACK_OFF_MS);
}
