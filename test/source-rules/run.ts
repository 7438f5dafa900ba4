import { relative } from 'node:path';
import { fileURLToPath } from 'node:url';
import ts from 'typescript';
import { readCompilerConfig } from '../support/compiler-config.ts';
import { findBreaches } from './find-breaches.ts';

/** Checks `src/` for what neither the compiler nor oxlint finds. */

const root = fileURLToPath(new URL('../..', import.meta.url)).replace(/\/$/, '');
/** They give the others their clock, settings and so on. */
const AMBIENT_ROOMS = /^src\/(?:base\/|app\/|main\.ts$)/;

const { fileNames, options } = readCompilerConfig(root, 'tsconfig.src.json');
const program = ts.createProgram(fileNames, options);
const checker = program.getTypeChecker();
for (const path of fileNames) {
  const file = program.getSourceFile(path);
  if (!file) continue;
  const name = relative(root, path);
  for (const { node, message } of findBreaches(file, checker, { isAmbient: AMBIENT_ROOMS.test(name) })) {
    const { line, character } = file.getLineAndCharacterOfPosition(node.getStart(file));
    console.log(`${name}:${line + 1}:${character + 1} ${message}`);
    process.exitCode = 1;
  }
}
