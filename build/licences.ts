import type { Metafile } from 'esbuild';
import { readFileSync, readdirSync } from 'node:fs';
import { join } from 'node:path';

interface Manifest {
  name: string;
  version: string;
  license?: string;
}

const FOLDER = /^(?:.*\/)?node_modules\/(?:@[^/]+\/)?[^/]+/;
const LICENCE_FILE = /^(?:licen[sc]e|copying|notice)/i;
const README_SECTION = /^(?:#+ *licen[sc]e *|licen[sc]e *\n-+)$([^#]*)/im;

/** The licence texts of every package that the bundle contains. */
export function composeLicences(root: string, { inputs }: Metafile): string {
  const folders = new Set(Object.keys(inputs).flatMap((path) => FOLDER.exec(path)?.[0] ?? []));
  const sections = [...folders].map((folder) => describePackage(join(root, folder))).sort();
  return ['# Licences of the packages that Sluice contains', ...sections].join('\n\n') + '\n';
}

function describePackage(folder: string): string {
  const { name, version, license } = JSON.parse(
    readFileSync(join(folder, 'package.json'), 'utf8'),
  ) as Manifest;
  const texts = findTexts(folder);
  if (license === undefined || texts.length === 0) throw new Error(`${name} has no licence text`);
  return [`## ${name} ${version} (${license})`, ...texts.map((text) => `\`\`\`text\n${text}\n\`\`\``)].join(
    '\n\n',
  );
}

/** The licence files, or the section of the README about it. */
function findTexts(folder: string): string[] {
  const names = readdirSync(folder);
  const read = (name: string): string => readFileSync(join(folder, name), 'utf8');
  const files = names.filter((name) => LICENCE_FILE.test(name)).map((name) => read(name).trim());
  if (files.length > 0) return files;
  return names
    .filter((name) => /^readme/i.test(name))
    .flatMap((name) => README_SECTION.exec(read(name))?.[1]?.trim() ?? []);
}
