import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { packageRoot } from '#base';

function readVersion(): string {
  const manifest = JSON.parse(readFileSync(new URL('package.json', packageRoot), 'utf8')) as {
    version: string;
  };
  return manifest.version;
}

/** The data files of the built-in catalogue. */
export const catalogueDirectory = fileURLToPath(new URL('catalogue', packageRoot));

export const version = readVersion();
