import { readFileSync, readdirSync } from 'node:fs';
import { posix } from 'node:path';

/** One source file and its imports, with paths relative to the repository root. */
export interface SourceFile {
  path: string;
  text: string;
  imports: string[];
}

/** A violated rule: where, and what is wrong. */
export interface Breach {
  path: string;
  reason: string;
}

const FROM = /^\s*(?:import|export)\b[^'"`;]*?\bfrom\s*['"]([^'"]+)['"]/gm;
const BARE = /^\s*import\s*['"]([^'"]+)['"]/gm;
const DYNAMIC = /\bimport\(\s*['"]([^'"]+)['"]\s*\)/g;

/** The modules that TypeScript text imports or re-exports, types included. */
export function parseImports(text: string): string[] {
  const code = stripComments(text);
  return [FROM, BARE, DYNAMIC].flatMap((pattern) =>
    [...code.matchAll(pattern)].map((match) => match[1] ?? ''),
  );
}

/** Drops block comments and comment lines; good enough for formatted code, where neither hides in a string. */
export function stripComments(text: string): string {
  return text.replace(/^\s*\/\*[\s\S]*?\*\/\s*$/gm, '').replace(/^\s*\/\/.*$/gm, '');
}

/** Every file below a folder, as paths relative to the root, sorted. */
export function listFiles(root: string, folder: string): string[] {
  return readdirSync(`${root}/${folder}`, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map((entry) => posix.relative(root, `${entry.parentPath}/${entry.name}`))
    .sort();
}

/** The TypeScript files below a folder. */
export function readSourceTree(root: string, folder: string): SourceFile[] {
  return listFiles(root, folder)
    .filter((path) => path.endsWith('.ts'))
    .map((path) => {
      const text = readFileSync(`${root}/${path}`, 'utf8');
      return { path, text, imports: parseImports(text) };
    });
}

export function isTest(path: string): boolean {
  return path.endsWith('.test.ts');
}

/** The room of a path below `src/`; `main.ts` is its own room and may only start the command line. */
export function roomOf(path: string): string {
  return path.split('/')[1] ?? '';
}

/** The repository path of an import; `undefined` for packages and the runtime's own modules. */
export function resolveImport(from: string, specifier: string): string | undefined {
  if (specifier.startsWith('#')) return `src/${specifier.slice(1)}/index.ts`;
  if (specifier.startsWith('.')) return posix.join(posix.dirname(from), specifier);
  return undefined;
}
