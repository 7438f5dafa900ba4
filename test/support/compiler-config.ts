import { join } from 'node:path';
import ts from 'typescript';

/** The files and options of a `tsconfig.json`. */
export function readCompilerConfig(root: string, name: string): ts.ParsedCommandLine {
  const { config } = ts.readConfigFile(join(root, name), (path) => ts.sys.readFile(path)) as {
    config: unknown;
  };
  return ts.parseJsonConfigFileContent(config, ts.sys, root);
}
