import type { Catalogue, Mapping } from '#catalogue';

/** Tests see the catalogue as on this day: no model they call is shut down when its announced day comes. */
const DAY = Date.parse('2026-11-23');

/** The catalogue without what it announces for later days. */
export function settleCatalogue(catalogue: Catalogue): Catalogue {
  const models = new Map(
    [...catalogue.models].map(([id, model]) => [id, { ...model, mappings: model.mappings.map(settle) }]),
  );
  return { ...catalogue, models };
}

function settle(mapping: Mapping): Mapping {
  const settled = { ...mapping };
  if ((settled.deactivatedAt ?? 0) > DAY) delete settled.deactivatedAt;
  if ((settled.deprecatedAt ?? 0) > DAY) delete settled.deprecatedAt;
  return settled;
}
