import type { CanonicalRequest, NamedModel } from '#canonical';
import type { Catalogue, Mapping } from '#catalogue';
import type { LiveSettings } from '../request/ports.ts';
import { findMapping } from '#catalogue';
import { sharesFields } from './shared-fields.ts';

/** A model the provider may run besides the requested one. */
export interface MappedModel extends NamedModel {
  /** Its mapping at that provider; absent if the catalogue has none. */
  mapping?: Mapping;
}

/** The catalogue that contains a mapping. */
export function getCatalogueOf({ catalogue, own }: LiveSettings, { providerId }: Mapping): Catalogue {
  return own?.providers.has(providerId) === true ? own : catalogue;
}

/** The other models of a request at a mapping; empty if its format cannot name any. */
export function mapOtherModels(
  live: LiveSettings,
  { request, now }: { request: CanonicalRequest; now: number },
  mapping: Mapping,
): MappedModel[] {
  const { otherModels } = request;
  if (!otherModels || !sharesFields(mapping, request)) return [];
  const catalogue = getCatalogueOf(live, mapping);
  const { providerId } = mapping;
  return otherModels.map((named) => {
    const found = findMapping(catalogue, { providerId, name: named.name }, now);
    return found ? { ...named, mapping: found } : named;
  });
}
