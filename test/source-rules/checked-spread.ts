import ts from 'typescript';
import type { Breach } from './breach.ts';

/**
 * Members that the object does not have into which a literal is spread: the compiler checks those of an object literal, but
 * not those of one in it, such as `...(isLong && { misspelt: 1 })`.
 */
export function findUnknownMembers(spread: ts.SpreadAssignment, checker: ts.TypeChecker): Breach[] {
  const literals = findLiterals(spread.expression);
  if (literals.length === 0) return [];
  const type = checker.getContextualType(spread.parent);
  const owners = type ? listObjectTypes(type, checker) : [];
  if (owners.length === 0) return [];
  return literals
    .flatMap(({ properties }) => [...properties])
    .flatMap(({ name }) => (name && ts.isIdentifier(name) ? [name] : []))
    .filter(({ text }) => owners.every((owner) => owner.getProperty(text) === undefined))
    .map((node) => ({
      node,
      message: `“${node.text}” is not a member of the object it is spread into.`,
    }));
}

/** The object literals that an expression may be. */
function findLiterals(node: ts.Expression): ts.ObjectLiteralExpression[] {
  if (ts.isObjectLiteralExpression(node)) return [node];
  if (ts.isParenthesizedExpression(node)) return findLiterals(node.expression);
  if (ts.isConditionalExpression(node))
    return [...findLiterals(node.whenTrue), ...findLiterals(node.whenFalse)];
  return ts.isBinaryExpression(node) && LOGICAL.has(node.operatorToken.kind)
    ? [...findLiterals(node.left), ...findLiterals(node.right)]
    : [];
}

const LOGICAL: ReadonlySet<ts.SyntaxKind> = new Set([
  ts.SyntaxKind.AmpersandAmpersandToken,
  ts.SyntaxKind.BarBarToken,
  ts.SyntaxKind.QuestionQuestionToken,
]);

/** The objects of a type; none if one of them accepts any member. */
function listObjectTypes(type: ts.Type, checker: ts.TypeChecker): ts.Type[] {
  const types = type.isUnion() ? type.types : [type];
  if (types.some((one) => isOpen(one, checker))) return [];
  return types.filter((one) => one.getProperties().length > 0);
}

function isOpen(type: ts.Type, checker: ts.TypeChecker): boolean {
  return (
    type.getStringIndexType() !== undefined || checker.typeToString(type) === 'any' || type.isTypeParameter()
  );
}
