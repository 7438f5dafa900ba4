import type { Mapping } from '#catalogue';
import type { MappingHealth } from './mapping-health.ts';

/** Nobody gains by another mapping where an ordinary stream is faster than this. */
const FAST_MS = 1_000;

interface ExploreFacts {
  healthOf(mapping: Mapping): MappingHealth;
  nowMs: number;
  /** Takes one exploration of the budget. */
  spend(): boolean;
}

/**
 * Leads now and then with a healthy mapping whose speed is unknown, where the first choice is slow: without it nobody
 * would learn that another is faster.
 */
export function explore(
  route: readonly Mapping[],
  { healthOf, nowMs, spend }: ExploreFacts,
): readonly Mapping[] {
  const [first] = route;
  if (!first || (healthOf(first).expectedMs ?? 0) < FAST_MS) return route;
  const unknown = route.find((mapping) => {
    const health = healthOf(mapping);
    return health.standingAt(nowMs) === 'healthy' && health.expectedMs === undefined;
  });
  if (!unknown || !spend()) return route;
  return [unknown, ...route.filter((mapping) => mapping !== unknown)];
}
