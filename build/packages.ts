import type { Metafile } from 'esbuild';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';

/** A package that the bundle contains. */
export interface BundledPackage {
  name: string;
  version: string;
  license: string;
  folder: string;
}

/** Of a file; what a plugin makes has a namespace before its path. */
const FOLDER = /^(?:[^:]*\/)?node_modules\/(?:@[^/]+\/)?[^/]+/;

export function listPackages(root: string, { inputs }: Metafile): BundledPackage[] {
  const folders = new Set(Object.keys(inputs).flatMap((path) => FOLDER.exec(path)?.[0] ?? []));
  return [...folders].map((folder) => readPackage(join(root, folder))).sort(byName);
}

function readPackage(folder: string): BundledPackage {
  const manifest = JSON.parse(readFileSync(join(folder, 'package.json'), 'utf8')) as Partial<BundledPackage>;
  const { name, version, license } = manifest;
  if (name === undefined || version === undefined || license === undefined)
    throw new Error(`${folder} has a package.json without a name, a version or a licence`);
  return { name, version, license, folder };
}

function byName(a: BundledPackage, b: BundledPackage): number {
  return a.name.localeCompare(b.name, 'en');
}
