import type { CanonicalRequest, NamedModel } from '#canonical';
import type { Catalogue, Mapping } from '#catalogue';
import type { LiveSettings } from '../request/ports.ts';
import { findMapping } from '#catalogue';
import { understands } from './kin.ts';

/** A model that a provider may turn to besides the one that is asked for. */
export interface Reached extends NamedModel {
  /** What it is at that provider; absent where the catalogue does not know it. */
  mapping?: Mapping;
}

/** The catalogue that a mapping stands in. */
export function getCatalogueOf({ catalogue, own }: LiveSettings, { providerId }: Mapping): Catalogue {
  return own?.providers.has(providerId) === true ? own : catalogue;
}

/** What the other models of a request are where it goes to a mapping; none where that format cannot name any. */
export function findReached(
  live: LiveSettings,
  { request, now }: { request: CanonicalRequest; now: number },
  mapping: Mapping,
): Reached[] {
  const { otherModels } = request;
  if (!otherModels || !understands(mapping, request)) return [];
  const catalogue = getCatalogueOf(live, mapping);
  const { providerId } = mapping;
  return otherModels.map((named) => {
    const found = findMapping(catalogue, { providerId, name: named.name }, now);
    return found ? { ...named, mapping: found } : named;
  });
}
