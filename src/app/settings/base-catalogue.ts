import type { Catalogue } from '#catalogue';
import { loadCatalogue } from '#catalogue';
import { catalogueDirectory } from './package.ts';

let loading: Promise<Catalogue> | undefined;

/** The built-in catalogue, read once. */
export function getBaseCatalogue(): Promise<Catalogue> {
  loading ??= loadCatalogue(catalogueDirectory);
  return loading;
}
