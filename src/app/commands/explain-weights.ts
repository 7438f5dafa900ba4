import type { Mapping } from '#catalogue';
import type { Preferences } from '#pipeline';
import type { ProviderWeights, Ranked } from '#routing';
import type { Settings } from '../settings/settings.ts';

/** The weights that apply, as requests have them. */
export function findWeights(
  { routing }: Settings,
  preferences: Preferences | undefined,
  first: Mapping | undefined,
): ProviderWeights | undefined {
  return preferences?.weights ?? (preferences?.sort ? undefined : routing.weights?.get(first?.modelId ?? ''));
}

export const weightOf = (weights: ProviderWeights, { providerId }: Mapping): number =>
  weights[providerId.toLowerCase()] ?? 0;

/** The one that comes first most often, first; each request draws its own order. */
export function orderByWeight(ranked: readonly Ranked[], weights: ProviderWeights): Ranked[] {
  return ranked.toSorted(
    (a, b) => a.rank - b.rank || weightOf(weights, b.mapping) - weightOf(weights, a.mapping),
  );
}
