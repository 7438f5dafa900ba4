import { existsSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { parseJson } from '#base';
import type { Catalogue } from '../catalogue.ts';
import type { CatalogueFiles } from '../schema/file-schema.ts';
import { buildCatalogue } from './build-catalogue.ts';
import { datePrices } from '../pricing/dated-price.ts';
import { readCatalogueFiles } from './read-files.ts';

const SNAPSHOT = 'snapshot.json';

/**
 * Loads the catalogue of a directory: from its snapshot if there is one (a tenth of the time), else from its YAML
 * files. Throws CatalogueError naming the file and the field at fault.
 */
export async function loadCatalogue(dir: string): Promise<Catalogue> {
  return buildCatalogue(await loadCatalogueFiles(dir));
}

/** The same data before it is joined. */
export async function loadCatalogueFiles(dir: string): Promise<CatalogueFiles> {
  const path = join(dir, SNAPSHOT);
  const text = await readFile(path, 'utf8').catch(() => undefined);
  if (text === undefined) return readCatalogueFiles(dir);
  // It is the program's own and a test keeps it equal to the files: to check it took a quarter of a start.
  return parseJson(text) as unknown as CatalogueFiles;
}

/** The data that is published: the YAML files of a checkout, or the snapshot of a package. */
export async function loadSourceFiles(dir: string): Promise<CatalogueFiles> {
  return existsSync(join(dir, 'providers')) ? readCatalogueFiles(dir) : loadCatalogueFiles(dir);
}

/**
 * The text `catalogue/snapshot.json` must have: one line per provider and model, to keep diffs readable. Throws
 * CatalogueError, also if the files do not fit together.
 */
export function renderSnapshot(dir: string): string {
  const files = readCatalogueFiles(dir);
  buildCatalogue(files);
  buildCatalogue(datePrices(files, Infinity).files);
  const { providers, models } = files;
  const list = (entries: readonly unknown[]): string =>
    entries.map((entry) => JSON.stringify(entry)).join(',\n');
  return `{"providers":[\n${list(providers)}\n],\n"models":[\n${list(models)}\n]}\n`;
}
