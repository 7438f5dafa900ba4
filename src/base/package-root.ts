import { findPackageJSON } from 'node:module';
import { pathToFileURL } from 'node:url';

const manifest = findPackageJSON(import.meta.url);
if (manifest === undefined)
  throw new Error('Sluice is installed without its package.json; install it again.');

/** The folder of this package, a checkout or an installation: its data files are below it. */
export const packageRoot = new URL('.', pathToFileURL(manifest));
