import type { Mapping } from '#catalogue';
import type { MappingHealth } from './mapping-health.ts';

/** Where an ordinary answer is faster than this, another mapping is no gain. */
const FAST_MS = 1_000;

interface ExploreFacts {
  healthOf(mapping: Mapping): MappingHealth;
  nowMs: number;
  /** Takes one exploration of the budget. */
  spend(): boolean;
}

/**
 * Sometimes puts a healthy mapping first where the first choice is slow and the other's speed is unknown, or seems much better
 * by too few answers: otherwise a faster one would never be found.
 */
export function explore(
  route: readonly Mapping[],
  { healthOf, nowMs, spend }: ExploreFacts,
): readonly Mapping[] {
  const [first] = route;
  if (!first || (healthOf(first).expectedMs ?? 0) < FAST_MS) return route;
  const other = route.find((mapping) => {
    const health = healthOf(mapping);
    const mayBeFaster =
      !healthOf(first).isComparableTo(health) || healthOf(first).isSlowerThan(health, false);
    return health.stateAt(nowMs) === 'healthy' && mayBeFaster;
  });
  if (!other || !spend()) return route;
  return [other, ...route.filter((mapping) => mapping !== other)];
}
