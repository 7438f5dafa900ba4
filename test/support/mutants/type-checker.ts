import { join } from 'node:path';
import ts from 'typescript';

/** Asks the compiler about one file at a time, with the rest of the program in memory. */
export class TypeChecker {
  readonly #root: string;
  readonly #service: ts.LanguageService;
  readonly #changed = new Map<string, string>();
  #version = 0;

  constructor(root: string) {
    this.#root = root;
    const { config } = ts.readConfigFile(join(root, 'tsconfig.json'), (path) => ts.sys.readFile(path)) as {
      config: unknown;
    };
    const { fileNames, options } = ts.parseJsonConfigFileContent(config, ts.sys, root);
    const read = (path: string): string | undefined => this.#changed.get(path) ?? ts.sys.readFile(path);
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
}
