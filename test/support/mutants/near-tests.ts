import { dirname } from 'node:path';
import { isTest, readSourceTree, resolveImport, roomOf, stripComments } from '../source-tree.ts';

/** These test the tests and the shape of the code. */
const NEVER_ASKED = /^test\/(?:architecture|runner|support)\b/;
/** Tests of money, limits, routing or wire; other tests use these only indirectly. */
const LIKELY =
  /^(?:src\/(?:accounts|base|catalogue|canonical|media|pipeline|providers|routing|wire|http\/endpoints\/gateway)|test\/(?:golden|property|fault|e2e))\//;
/** Compares everything that the formats do, so it notices what the tests next to a file do not. */
const BROAD = /^test\/golden\//;
/** Helpers that start the program in a process of its own, which imports do not show. */
const STARTERS = ['test/support/gateway.ts', 'test/support/command-line.ts'];
const PROGRAM = 'src/main.ts';
const TYPES = /^import type [^;]*;$/gm;
/** Steps that a test in another folder counts as further away: the broad one, those of the room, and others. */
const BROADLY = 50;
const ELSEWHERE = 100;
const FAR = 1_000;
const FURTHEST = 2_000;

/** Finds the tests of a file: those that import it, directly or through others, the nearest first. */
export class NearTests {
  /** The importers of a file. */
  readonly #importers = new Map<string, string[]>();

  constructor(root: string) {
    for (const { path, text } of ['src', 'test'].flatMap((folder) => readSourceTree(root, folder))) {
      const used = stripComments(text).replace(TYPES, '');
      for (const specifier of listImports(used)) this.#add(resolveImport(path, specifier), path);
      if (STARTERS.includes(path)) this.#add(PROGRAM, path);
    }
  }

  find(path: string): string[] {
    const steps = this.#countSteps(path);
    const rank = (test: string): number => {
      if (test === path.replace(/\.ts$/, '.test.ts')) return -1;
      return (steps.get(test) ?? 0) + measureDistance(path, test);
    };
    return [...steps.keys()]
      .filter((file) => isTest(file) && !NEVER_ASKED.test(file))
      .sort((a, b) => rank(a) - rank(b) || (a < b ? -1 : 1));
  }

  /** Those of its folder; of a format, also the broad ones. */
  findNearest(path: string): string[] {
    const furthest = roomOf(path) === 'wire' ? BROADLY : 0;
    return this.find(path).filter((test) => measureDistance(path, test) <= furthest);
  }

  /** A file and all that import it, directly or through others. */
  findImporters(path: string): string[] {
    return [...this.#countSteps(path).keys()];
  }

  #add(imported: string | undefined, by: string): void {
    if (imported === undefined) return;
    this.#importers.set(imported, [...(this.#importers.get(imported) ?? []), by]);
  }

  /** How many imports lie between a file and each that reaches it. */
  #countSteps(path: string): Map<string, number> {
    const steps = new Map([[path, 0]]);
    for (const [file, count] of steps) {
      for (const importer of this.#importers.get(file) ?? [])
        if (!steps.has(importer)) steps.set(importer, count + 1);
    }
    return steps;
  }
}

/** Its folder; in a wire format, all of the format. */
function areaOf(path: string): string {
  return /^src\/wire\/[a-z]+(?=\/)/.exec(path)?.[0] ?? dirname(path);
}

function measureDistance(path: string, test: string): number {
  if (areaOf(test) === areaOf(path)) return 0;
  if (BROAD.test(test)) return BROADLY;
  if (test.startsWith('src/') && roomOf(test) === roomOf(path)) return ELSEWHERE;
  return LIKELY.test(test) ? FAR : FURTHEST;
}

function listImports(text: string): string[] {
  const patterns = [
    /\bfrom\s*'([^']+)'/g,
    /^\s*import\s*'([^']+)'/gm,
    /\bimport\(\s*'([^']+)'/g,
    /new URL\('([^']+\.ts)'/g,
  ];
  return patterns.flatMap((pattern) => [...text.matchAll(pattern)].map(([, name = '']) => name));
}
