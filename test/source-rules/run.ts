import { relative } from 'node:path';
import { fileURLToPath } from 'node:url';
import ts from 'typescript';
import { findBreaches } from './find-breaches.ts';

/** Checks `src/` for what neither the compiler nor oxlint finds. */

const root = fileURLToPath(new URL('../..', import.meta.url)).replace(/\/$/, '');
/** They are the clock, the settings and so on for all others. */
const AMBIENT_ROOMS = /^src\/(?:base\/|app\/|main\.ts$)/;

const { config } = ts.readConfigFile(`${root}/tsconfig.src.json`, (path) => ts.sys.readFile(path)) as {
  config: unknown;
};
const { fileNames, options } = ts.parseJsonConfigFileContent(config, ts.sys, root);
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
