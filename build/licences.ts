import type { BundledPackage } from './packages.ts';
import { readFileSync, readdirSync } from 'node:fs';
import { join } from 'node:path';

const LICENCE_FILE = /^(?:licen[sc]e|copying|notice)/i;
const README_SECTION = /^(?:#+ *licen[sc]e *|licen[sc]e *\n-+)$([^#]*)/im;

/** The licence texts of every package that the bundle contains. */
export function composeLicences(packages: readonly BundledPackage[]): string {
  return `${['# Licences of the packages that Sluice contains', ...packages.map(describePackage)].join('\n\n')}\n`;
}

function describePackage({ name, version, license, folder }: BundledPackage): string {
  const texts = findTexts(folder);
  if (texts.length === 0) throw new Error(`${name} has no licence text`);
  const blocks = texts.map((text) => `\`\`\`text\n${text}\n\`\`\``);
  return [`## ${name} ${version} (${license})`, ...blocks].join('\n\n');
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
