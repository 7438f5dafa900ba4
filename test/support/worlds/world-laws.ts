import { type World, wasGood } from './provider-world.ts';
import type { WorldRequest } from './world-run.ts';

/** What a world came to. */
interface WorldFigures {
  requests: number;
  calls: number;
  /** The share that was answered to its end. */
  success: number;
  /** Milliseconds in which every request failed although a provider had been good for long. */
  starvedMs: number;
  /** The share that was answered, or cut later, of requests with a provider that could have. */
  served: number;
  /** How often the provider that routes begin with changed while one was good. */
  switches: number;
  /** The share of the last minute's requests that the cheapest answered. */
  calmShare: number;
  /** What was left of the budget of extra calls at its lowest; negative if it was exceeded. */
  leastBudget: number;
}

/** The longest time without a call to a provider, and the probe that ends it. */
const GOOD_FOR_MS = 20_000;
const MOST_STARVED_MS = 2_000;
/** A silent provider is noticed after this many times the usual time to the first event. */
const NOTICED_AFTER = 3;
/** A request takes at least this long. */
const LEAST_GOOD_MS = 1_000;
const LEAST_SERVED = 0.7;
const LAST_MS = 60_000;
const MOST_CALLS = 6;
/** Where requests come at fewer moments of a minute, probes come as rarely. */
const LEAST_CALM = 20;
const LEAST_CALM_SHARE = 0.3;
/** Of the routes to providers that are always good; the others explore. */
const LEAST_QUIET_SHARE = 0.93;
/** Of requests to providers that are always good: a few answers are slow enough for a second call. */
const MOST_QUIET_EXTRA = 0.02;
/** Per change of a provider's mood. */
const MOST_SWITCHES = 1.5;
/** Extra calls of the requests whose routes begin with one provider: failures and silences together. */
const BUDGET = { share: 0.75, reserve: 35, perSecond: 0.6 };

export function measureWorld(world: World, requests: readonly WorldRequest[]): WorldFigures {
  const answered = requests.filter(({ outcome }) => outcome === 'answered');
  const last = requests.filter(({ atMs }) => atMs >= world.endMs - LAST_MS);
  return {
    requests: requests.length,
    calls: requests.reduce((sum, { called }) => sum + called.length, 0),
    success: answered.length / requests.length,
    starvedMs: findStarved(world, requests),
    served: findServed(world, requests),
    switches: countSwitches(world, requests),
    calmShare:
      new Set(last.map(({ atMs }) => atMs)).size < LEAST_CALM
        ? 1
        : last.filter(({ answeredBy }) => answeredBy === 0).length / last.length,
    leastBudget: Math.min(...world.providers.map((_, home) => findLeastBudget(requests, home))),
  };
}

/** The laws that a world breaks. */
export function findBroken(world: World, requests: readonly WorldRequest[]): string[] {
  const figures = measureWorld(world, requests);
  const { starvedMs, served, switches, calmShare, leastBudget, calls } = figures;
  const changes = world.providers.reduce((sum, { periods }) => sum + periods.length - 1, 0);
  const isQuiet = world.providers.every((provider) => wasGood(provider, 0, world.endMs));
  const cheapest = requests.filter(({ home }) => home === 0).length / requests.length;
  const most = Math.max(...requests.map(({ called }) => called.length));
  return [
    most > MOST_CALLS && `${most} calls for one request`,
    leastBudget < 0 && `${(-leastBudget).toFixed(1)} calls more than the budget`,
    starvedMs > findMostStarved(world) &&
      `for ${(starvedMs / 1_000).toFixed(0)} s every request failed beside a provider that was good`,
    served < LEAST_SERVED && `only ${(served * 100).toFixed(0)} % served of what could be`,
    calmShare < LEAST_CALM_SHARE && `the cheapest answers only ${(calmShare * 100).toFixed(0)} % in the calm`,
    switches > MOST_SWITCHES * changes + 5 && `${switches} switches at ${changes} changes`,
    isQuiet &&
      cheapest < LEAST_QUIET_SHARE &&
      `only ${(cheapest * 100).toFixed(0)} % of routes begin with the cheapest of good providers`,
    isQuiet &&
      calls > requests.length * (1 + MOST_QUIET_EXTRA) + 1 &&
      `${calls} calls for ${requests.length} requests at good providers`,
  ].filter((law) => law !== false);
}

/** How long every request may fail beside a good provider. */
function findMostStarved({ providers }: World): number {
  return MOST_STARVED_MS + NOTICED_AFTER * Math.max(...providers.map(({ firstMs }) => firstMs));
}

/** The longest row of failures that could have been avoided. */
function findStarved(world: World, requests: readonly WorldRequest[]): number {
  let fromMs: number | undefined;
  let longest = 0;
  for (const request of requests) {
    if (!isNeedless(world, request)) fromMs = undefined;
    else longest = Math.max(longest, request.atMs - (fromMs ??= request.atMs));
  }
  return longest;
}

/** A cut cannot be foreseen; any other failure can be avoided by calling a provider that is good. */
function isNeedless({ providers }: World, { atMs, endedMs, outcome }: WorldRequest): boolean {
  if (outcome === 'answered' || outcome === 'cut') return false;
  return providers.some((provider) => wasGood(provider, atMs - GOOD_FOR_MS, endedMs));
}

/** A provider could have if it was good from the beginning to the end. */
function findServed({ providers }: World, requests: readonly WorldRequest[]): number {
  const servable = requests.filter(({ atMs, endedMs }) =>
    providers.some((provider) => wasGood(provider, atMs, Math.max(endedMs, atMs + LEAST_GOOD_MS))),
  );
  const served = servable.filter(({ outcome }) => outcome === 'answered' || outcome === 'cut');
  return servable.length === 0 ? 1 : served.length / servable.length;
}

/**
 * A single request that began elsewhere is a probe, and no switch. Where no provider is good, changing is how to find
 * one that answers.
 */
function countSwitches({ providers }: World, requests: readonly WorldRequest[]): number {
  const homes = requests.map(({ home }) => home);
  let current = homes[0];
  let switches = 0;
  for (const [at, home] of homes.entries()) {
    if (home === current || homes[at + 1] !== home) continue;
    current = home;
    const atMs = requests[at]?.atMs ?? 0;
    if (providers.some((provider) => wasGood(provider, atMs, atMs))) switches += 1;
  }
  return switches;
}

/** A bucket that requests and time fill, and extra calls empty; it also holds the shares of requests that wait. */
function findLeastBudget(requests: readonly WorldRequest[], home: number): number {
  const own = requests.filter((request) => request.home === home);
  const changes = own.flatMap(({ atMs, calledMs, freeMs, begunMs, endedMs }) => [
    { atMs, by: BUDGET.share, waiting: 1 },
    { atMs: begunMs ?? endedMs, by: 0, waiting: -1 },
    ...calledMs
      .slice(1)
      .filter((calledAtMs) => !freeMs.includes(calledAtMs))
      .map((calledAtMs) => ({ atMs: calledAtMs, by: -1, waiting: 0 })),
  ]);
  let left = BUDGET.reserve;
  let least = left;
  let lastMs = 0;
  let kept = 0;
  for (const { atMs, by, waiting } of changes.toSorted((a, b) => a.atMs - b.atMs)) {
    const earned = ((atMs - lastMs) / 1_000) * BUDGET.perSecond;
    kept += waiting * BUDGET.share;
    left = Math.min(BUDGET.reserve + kept, left + earned + Math.max(0, by)) + Math.min(0, by);
    least = Math.min(least, left);
    lastMs = atMs;
  }
  return least;
}
