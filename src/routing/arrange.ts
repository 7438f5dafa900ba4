import type { Mapping } from '#catalogue';

/**
 * Which healthy mapping comes first: the cheapest of those that are not much slower than another, the cheapest, the one
 * with the shortest time to the first event, with the most tokens per second, or with the fewest failures lately.
 */
export type Strategy = 'balanced' | 'price' | 'latency' | 'throughput' | 'uptime';

/** Shares of the requests by provider, in lower case. */
export type ProviderWeights = Readonly<Record<string, number>>;
/** The same by the id of a model. */
export type ModelWeights = ReadonlyMap<string, ProviderWeights>;

/** How a request orders its mappings. */
export interface ArrangeOptions {
  /** Providers to try first, in this order; lower case. */
  order: readonly string[];
  /** Whether a second mapping may be tried. */
  allowsFallbacks: boolean;
  sort?: Strategy;
  weights?: ProviderWeights;
  /** Whether the mappings of all models are sorted together, instead of one model after the other. */
  mixesModels?: boolean;
  /** Mappings that it accepts come before all others, whatever their model. */
  isPreferred?: ((mapping: Mapping) => boolean) | undefined;
}

/**
 * Arranges ranked mappings as a request asks: preferred ones first, then by model in the order of `asked`, then the named
 * providers, then the others by rank. Without fallbacks only the named providers remain, or the first mapping. Pure.
 */
export function arrange(
  ranked: readonly Mapping[],
  asked: readonly Mapping[],
  { order, allowsFallbacks, mixesModels = false, isPreferred = () => true }: ArrangeOptions,
): readonly Mapping[] {
  const models = mixesModels ? [] : [...new Set(asked.map(({ modelId }) => modelId))];
  const placeOf = ({ providerId }: Mapping): number => {
    const place = order.indexOf(providerId.toLowerCase());
    return place === -1 ? order.length : place;
  };
  const arranged = ranked.toSorted(
    (a, b) =>
      Number(isPreferred(b)) - Number(isPreferred(a)) ||
      models.indexOf(a.modelId) - models.indexOf(b.modelId) ||
      placeOf(a) - placeOf(b),
  );
  if (allowsFallbacks) return arranged;
  const named = arranged.filter((mapping) => placeOf(mapping) < order.length);
  return named.length > 0 ? named : arranged.slice(0, 1);
}
