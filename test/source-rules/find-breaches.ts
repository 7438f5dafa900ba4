import ts from 'typescript';
import type { Breach } from './breach.ts';
import { findUnknownMembers } from './checked-spread.ts';

const NEEDS_CLOCK = 'Use a Clock from #base.';
/** Time, chance, settings and raw JSON reach the code through `base` and `app` only. */
const AMBIENT: ReadonlyMap<string, string> = new Map([
  ['Date.now', NEEDS_CLOCK],
  ['Math.random', 'Use Chance from #base.'],
  ['process.env', 'Only app reads the environment.'],
  ['JSON.parse', 'Use parseJson from #base.'],
]);

/** The breaches of a file; the rooms that give the code its clock and settings may use the originals. */
export function findBreaches(
  file: ts.SourceFile,
  checker: ts.TypeChecker,
  { isAmbient }: { isAmbient: boolean },
): Breach[] {
  const breaches: Breach[] = [];
  const visit = (node: ts.Node): void => {
    const message = isAmbient ? undefined : findAmbient(node);
    if (message !== undefined) breaches.push({ node, message });
    if (ts.isSpreadAssignment(node)) breaches.push(...findUnknownMembers(node, checker));
    ts.forEachChild(node, visit);
  };
  visit(file);
  return breaches;
}

function findAmbient(node: ts.Node): string | undefined {
  if (ts.isPropertyAccessExpression(node) && ts.isIdentifier(node.expression))
    return AMBIENT.get(`${node.expression.text}.${node.name.text}`);
  if (ts.isNewExpression(node) && ts.isIdentifier(node.expression) && node.expression.text === 'Date')
    return node.arguments?.length ? undefined : NEEDS_CLOCK;
  if (ts.isExportDeclaration(node) && !node.exportClause) return 'Name what a room exports.';
  if (ts.isExportAssignment(node) || isDefault(node)) return 'No default exports.';
  return undefined;
}

function isDefault(node: ts.Node): boolean {
  return (
    ts.canHaveModifiers(node) &&
    (ts.getModifiers(node)?.some(({ kind }) => kind === ts.SyntaxKind.DefaultKeyword) ?? false)
  );
}
