import type { Catalogue, Mapping } from '#catalogue';
import { getBaseCatalogue } from '../../src/app/settings/base-catalogue.ts';

/** Tests see the catalogue as on this day: no model they call is shut down or costs something else when an announced day comes. */
const DAY = Date.parse('2026-11-23');

let settled: Promise<Catalogue> | undefined;

/** The built-in catalogue without what it announces for later days; read once, because each gateway of a process has the same. */
export async function getSettledCatalogue(): Promise<Catalogue> {
  settled ??= getBaseCatalogue(DAY).then(settleModels);
  return settled;
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
