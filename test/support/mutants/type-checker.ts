import { join, relative } from 'node:path';
import ts from 'typescript';
import type { Mutant } from './find-mutants.ts';
import { readCompilerConfig } from '../compiler-config.ts';
import { findUses } from './uses.ts';

/** A position in a file. */
export interface Place {
  path: string;
  at: number;
}

/** Asks the compiler about one file at a time, with the rest of the program in memory. */
export class TypeChecker {
  readonly #root: string;
  readonly #service: ts.LanguageService;
  readonly #changed = new Map<string, string>();
  /** As first read, because sandboxes damage the files on disk. */
  readonly #texts = new Map<string, string | undefined>();
  #version = 0;

  constructor(root: string) {
    this.#root = root;
    const { fileNames, options } = readCompilerConfig(root, 'tsconfig.json');
    const read = (path: string): string | undefined => {
      if (!this.#texts.has(path)) this.#texts.set(path, ts.sys.readFile(path));
      return this.#changed.get(path) ?? this.#texts.get(path);
    };
    this.#service = ts.createLanguageService({
      getCompilationSettings: () => options,
      getScriptFileNames: () => fileNames,
      getScriptVersion: (path) => (this.#changed.has(path) ? String(this.#version) : '0'),
      getScriptSnapshot: (path) => {
        const text = read(path);
        return text === undefined ? undefined : ts.ScriptSnapshot.fromString(text);
      },
      getCurrentDirectory: () => root,
      getDefaultLibFileName: (of) => ts.getDefaultLibFilePath(of),
      fileExists: (path) => ts.sys.fileExists(path),
      readFile: (path) => ts.sys.readFile(path),
      readDirectory: (path, ...rest) => ts.sys.readDirectory(path, ...rest),
      directoryExists: (path) => ts.sys.directoryExists(path),
      getDirectories: (path) => ts.sys.getDirectories(path),
    });
  }

  /** Whether the compiler takes a file with this text. */
  accepts(file: string, text: string): boolean {
    const path = join(this.#root, file);
    this.#version += 1;
    this.#changed.set(path, text);
    const found = [
      ...this.#service.getSyntacticDiagnostics(path),
      ...this.#service.getSemanticDiagnostics(path),
    ];
    this.#changed.delete(path);
    return found.every(({ category }) => category !== ts.DiagnosticCategory.Error);
  }

  /** Where a fault takes effect: in place, or, in a constant of a module, in the functions that use the constant. */
  findPlaces({ path, runsFrom }: Mutant): Place[] {
    const uses = findUses(this.#service, { path: join(this.#root, path), at: runsFrom });
    return uses.map((use) => ({ path: relative(this.#root, use.path), at: use.at }));
  }
}
