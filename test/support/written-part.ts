import { readFileSync, writeFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';

const END = '<!-- end of the written part -->';

/** Replaces the part of a page in docs/ that a long run writes. */
export function writePart(page: string, run: string, text: string): void {
  const path = fileURLToPath(new URL(`../../docs/${page}`, import.meta.url));
  const begin = `<!-- written by \`npm run test:long -- ${run}\` -->`;
  const before = readFileSync(path, 'utf8');
  const from = before.indexOf(begin);
  const to = before.indexOf(END, from);
  if (from === -1 || to === -1) throw new Error(`docs/${page} has no place for the table: ${begin}`);
  writeFileSync(path, `${before.slice(0, from)}${begin}\n\n${text}\n\n${before.slice(to)}`);
}
