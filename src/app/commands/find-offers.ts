import type { Catalogue, Mapping, Model } from '#catalogue';
import { createUnresolved, resolveModel } from '#catalogue';

/** Names of models: those that must exist, and those that are left out where they do not. */
interface Names {
  asked: readonly string[];
  others: readonly string[];
}

/** The offers of the first name, then those of the others. Throws `invalid_request`. */
export function findOffers(
  catalogue: Catalogue,
  { asked, others }: Names,
): { model: Model; mappings: readonly Mapping[] } {
  const mappings: Mapping[] = [];
  let model: Model | undefined;
  for (const name of asked) {
    const found = resolveModel(catalogue, name, Date.now());
    if (found.kind !== 'found') throw createUnresolved(name, found);
    model ??= found.model;
    mappings.push(...found.mappings);
  }
  if (!model) throw new Error('a route is of at least one model');
  mappings.push(...others.flatMap((name) => findOffered(catalogue, name)));
  return { model, mappings: [...new Set(mappings)] };
}

/** The offers of a model, none where it is not known. */
export function findOffered(catalogue: Catalogue, name: string): readonly Mapping[] {
  const found = resolveModel(catalogue, name, Date.now());
  return found.kind === 'found' ? found.mappings : [];
}
