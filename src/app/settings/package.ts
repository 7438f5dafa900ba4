import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';

const root = new URL('../../../', import.meta.url);

function readVersion(): string {
  const manifest = JSON.parse(readFileSync(new URL('package.json', root), 'utf8')) as { version: string };
  return manifest.version;
}

/** The data files of the built-in catalogue. */
export const catalogueDirectory = fileURLToPath(new URL('catalogue', root));

export const version = readVersion();
