import type { Catalogue, CatalogueFiles } from '#catalogue';
import { buildCatalogue, loadCatalogueFiles } from '#catalogue';
import { catalogueDirectory } from './package.ts';

let files: Promise<CatalogueFiles> | undefined;
let built: Promise<Catalogue> | undefined;

/** The data of the built-in catalogue, read once. */
export function getBaseFiles(): Promise<CatalogueFiles> {
  files ??= loadCatalogueFiles(catalogueDirectory);
  return files;
}

/** The built-in catalogue, built once. */
export function getBaseCatalogue(): Promise<Catalogue> {
  built ??= getBaseFiles().then(buildCatalogue);
  return built;
}
