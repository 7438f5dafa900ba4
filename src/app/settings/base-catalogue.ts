import type { Catalogue, CatalogueFiles, FilesAt } from '#catalogue';
import { systemClock } from '#base';
import { buildCatalogue, datePrices, loadCatalogueFiles } from '#catalogue';
import { catalogueDirectory } from './package.ts';

let read: Promise<CatalogueFiles> | undefined;
let built: { catalogue: Catalogue; since: number; until: number } | undefined;

/** The data of the built-in catalogue with the prices of a moment; the files are read once. */
export async function getBaseFiles(now = systemClock.now()): Promise<FilesAt> {
  read ??= loadCatalogueFiles(catalogueDirectory);
  return datePrices(await read, now);
}

/** The built-in catalogue of a moment, built once for each of its prices. */
export async function getBaseCatalogue(now = systemClock.now()): Promise<Catalogue> {
  if (built && now >= built.since && now < built.until) return built.catalogue;
  const { files, nextAt = Infinity } = await getBaseFiles(now);
  built = { catalogue: buildCatalogue(files), since: now, until: nextAt };
  return built.catalogue;
}
