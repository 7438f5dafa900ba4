import ts from 'typescript';
import { isTest } from '../source-tree.ts';
import type { Place } from './type-checker.ts';

/**
 * The places in functions where a value is used. Every test that imports a module runs its constants; only one that runs
 * a function using them can notice a fault in them.
 */
export function findUses(service: ts.LanguageService, place: Place): Place[] {
  const uses: Place[] = [];
  const open = [place];
  const seen = new Set<string>();
  for (const next of open) {
    const key = `${next.path}:${next.at}`;
    if (seen.has(key)) continue;
    seen.add(key);
    const name = findConstant(service, next);
    if (name === undefined) uses.push(next);
    else open.push(...findReferences(service, { path: next.path, at: name }));
  }
  return uses;
}

/** Where the name of the module's constant is in whose value a place is, outside of functions. */
function findConstant(service: ts.LanguageService, { path, at }: Place): number | undefined {
  const source = service.getProgram()?.getSourceFile(path);
  if (!source) return undefined;
  let name: ts.Node | undefined;
  const visit = (node: ts.Node): void => {
    if (at < node.getStart(source) || at >= node.end) return;
    if (ts.isVariableDeclaration(node)) name = node.name;
    if (ts.isFunctionLike(node) || ts.isClassLike(node)) name = undefined;
    else ts.forEachChild(node, visit);
  };
  visit(source);
  return name && ts.isIdentifier(name) ? name.getStart(source) : undefined;
}

function findReferences(service: ts.LanguageService, { path, at }: Place): Place[] {
  const found = service.findReferences(path, at) ?? [];
  return found
    .flatMap(({ references }) => references)
    .filter(({ fileName, isDefinition }) => isDefinition !== true && !isTest(fileName))
    .map(({ fileName, textSpan }) => ({ path: fileName, at: textSpan.start }))
    .filter((place) => !isImport(service, place));
}

/** An import or a re-export runs wherever its module does. */
function isImport(service: ts.LanguageService, { path, at }: Place): boolean {
  const source = service.getProgram()?.getSourceFile(path);
  return (
    source?.statements.some(
      (node) =>
        (ts.isImportDeclaration(node) || ts.isExportDeclaration(node)) && at >= node.pos && at < node.end,
    ) === true
  );
}
