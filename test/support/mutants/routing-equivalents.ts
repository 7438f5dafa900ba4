import type { Equivalent } from './equivalents.ts';

/** Those of routing, `pipeline/attempt` and `pipeline/path`. */
export const ROUTING_EQUIVALENTS: readonly Equivalent[] = [
  {
    path: 'src/routing/timing.ts',
    before: '#deviation = 0;',
    after: '#deviation = (0 + 1);',
    reason: 'the first sample sets it, and nobody asks before',
  },
  {
    path: 'src/routing/explore.ts',
    before: 'if (!first || (healthOf(first).expectedMs ?? 0) < FAST_MS) return route;',
    after: 'if (!first || (healthOf(first).expectedMs ?? (0 + 1)) < FAST_MS) return route;',
    reason: 'both are less than FAST_MS',
  },
  {
    path: 'src/routing/arrange.ts',
    before: 'return named.length > 0 ? named : arranged.slice(0, 1);',
    after: 'return named.length > (0 + 1) ? named : arranged.slice(0, 1);',
    reason: 'a single named one is the first',
  },
  {
    path: 'src/routing/mapping-health.ts',
    before: 'this.#pause(nowMs, 0, pausedMs);',
    after: 'this.#pause(nowMs, (0 + 1), pausedMs);',
    reason: 'the time that the provider named is the pause',
  },
  {
    path: 'src/routing/arrange.ts',
    before: '{ order, allowsFallbacks, mixesModels = false, isPreferred = () => true }: ArrangeOptions,',
    after: '{ order, allowsFallbacks, mixesModels = false, isPreferred = () => false }: ArrangeOptions,',
    reason: 'where none is preferred to another the order is the same',
  },
  {
    path: 'src/routing/experiment.ts',
    before: 'if (point < end) return variant;',
    after: 'if (point <= end) return variant;',
    reason: 'no unit lies exactly on a percentage that is written with fewer than 31 decimals',
  },
  {
    path: 'src/routing/next-attempt.ts',
    before: '.toSorted((a, b) => (counts.get(a) ?? 0) - (counts.get(b) ?? 0))[0];',
    after: '.toSorted((a, b) => (counts.get(a) ?? (0 + 1)) - (counts.get(b) ?? 0))[0];',
    reason: 'what may be repeated was called before',
  },
  {
    path: 'src/routing/next-attempt.ts',
    before: '.toSorted((a, b) => (counts.get(a) ?? 0) - (counts.get(b) ?? 0))[0];',
    after: '.toSorted((a, b) => (counts.get(a) ?? 0) - (counts.get(b) ?? (0 + 1)))[0];',
    reason: 'what may be repeated was called before',
  },
  {
    path: 'src/routing/order-credentials.ts',
    before: 'const RANKS: Record<HealthState, number> = { due: 0, healthy: 0, poor: 1, closed: 2 };',
    after: 'const RANKS: Record<HealthState, number> = { due: 0, healthy: 0, poor: 1, closed: (2 + 1) };',
    reason: 'only which rank is greater counts',
  },
  {
    path: 'src/routing/order-credentials.ts',
    before: 'const FIRST = -1;',
    after: 'const FIRST = -(1 + 1);',
    reason: 'every draw is more than 0',
  },
  {
    path: 'src/routing/order-credentials.ts',
    before: 'return weight > 0 ? -Math.log(toShare(`${seed} ${name}`)) / weight : Infinity;',
    after: 'return weight >= 0 ? -Math.log(toShare(`${seed} ${name}`)) / weight : Infinity;',
    reason: 'divided by 0 it is Infinity, too',
  },
  {
    path: 'src/routing/rank-route.ts',
    before: 'const RANKS: Record<HealthState, number> = { due: 0, healthy: 0, poor: 1, closed: 3 };',
    after: 'const RANKS: Record<HealthState, number> = { due: 0, healthy: 0, poor: 1, closed: (3 + 1) };',
    reason: 'only which rank is greater counts',
  },
  {
    path: 'src/routing/rank-route.ts',
    before: "if (mappings.length > 1 && facts.strategy !== 'price') slowDown(mappings, facts);",
    after: "if (mappings.length >= 1 && facts.strategy !== 'price') slowDown(mappings, facts);",
    reason: 'no mapping is slower than itself',
  },
  {
    path: 'src/routing/rank-route.ts',
    before: 'compareHealth(chosen, other) < 0 && compareOffers(other, chosen) < 0;',
    after: 'compareHealth(chosen, other) <= 0 && compareOffers(other, chosen) < 0;',
    reason: 'of those in equal health the better offer comes first',
  },
  {
    path: 'src/routing/rank-route.ts',
    before: 'compareHealth(chosen, other) < 0 && compareOffers(other, chosen) < 0;',
    after: 'compareHealth(chosen, other) < (0 + 1) && compareOffers(other, chosen) < 0;',
    reason: 'of those in equal health the better offer comes first',
  },
  {
    path: 'src/routing/rank-route.ts',
    before: "return strategy === 'throughput' ? perToken.mean : 0;",
    after: "return strategy === 'throughput' ? perToken.mean : (0 + 1);",
    reason: 'the same score for all changes no order',
  },
  {
    path: 'src/routing/rank-route.ts',
    before: 'const failures = rank === 0 ? 0 : Math.round(health.failedShare * 10);',
    after: 'const failures = rank === 0 ? (0 + 1) : Math.round(health.failedShare * 10);',
    reason: 'it is the same for all of this rank',
  },
  {
    path: 'src/pipeline/attempt/route/find-limit.ts',
    before: 'const { leastMs = 0 } = waiting;',
    after: 'const { leastMs = (0 + 1) } = waiting;',
    reason: 'both are less than LEAST_PATIENCE_MS',
  },
  {
    path: 'src/pipeline/attempt/route/race.ts',
    before: 'const usualMs = Math.max((silent.limitMs ?? 0) * LAST_PATIENCE, LEAST_LAST_PATIENCE_MS);',
    after: 'const usualMs = Math.max((silent.limitMs ?? (0 + 1)) * LAST_PATIENCE, LEAST_LAST_PATIENCE_MS);',
    reason: 'both are less than LEAST_LAST_PATIENCE_MS',
  },
];
