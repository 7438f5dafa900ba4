import type { Catalogue, Mapping } from '#catalogue';

/** Tests see the catalogue as on this day: no model they call is shut down when its announced day comes. */
const DAY = Date.parse('2026-11-23');

const settled = new WeakMap<Catalogue, Catalogue>();

/** The catalogue without what it announces for later days; computed once, because each gateway of a process has the same. */
export function settleCatalogue(catalogue: Catalogue): Catalogue {
  const known = settled.get(catalogue) ?? settleModels(catalogue);
  settled.set(catalogue, known);
  return known;
}

function settleModels(catalogue: Catalogue): Catalogue {
  const models = new Map(
    [...catalogue.models].map(([id, model]) => [id, { ...model, mappings: model.mappings.map(settle) }]),
  );
  return { ...catalogue, models };
}

function settle(mapping: Mapping): Mapping {
  const copy = { ...mapping };
  if ((copy.deactivatedAt ?? 0) > DAY) delete copy.deactivatedAt;
  if ((copy.deprecatedAt ?? 0) > DAY) delete copy.deprecatedAt;
  return copy;
}
