import ts from 'typescript';

/** A small fault in a source file: a replacement of some characters. */
export interface Mutant {
  path: string;
  /** From 1. */
  line: number;
  start: number;
  end: number;
  /** Where its expression begins: a test that runs that may notice it, even where it does not run the right side of `a && b`. */
  runsFrom: number;
  before: string;
  after: string;
  kind: string;
}

const SWAPS = new Map<ts.SyntaxKind, readonly [kind: string, after: string]>([
  [ts.SyntaxKind.LessThanToken, ['boundary', '<=']],
  [ts.SyntaxKind.LessThanEqualsToken, ['boundary', '<']],
  [ts.SyntaxKind.GreaterThanToken, ['boundary', '>=']],
  [ts.SyntaxKind.GreaterThanEqualsToken, ['boundary', '>']],
  [ts.SyntaxKind.EqualsEqualsEqualsToken, ['equality', '!==']],
  [ts.SyntaxKind.ExclamationEqualsEqualsToken, ['equality', '===']],
  [ts.SyntaxKind.PlusToken, ['arithmetic', '-']],
  [ts.SyntaxKind.MinusToken, ['arithmetic', '+']],
  [ts.SyntaxKind.AsteriskToken, ['arithmetic', '/']],
  [ts.SyntaxKind.SlashToken, ['arithmetic', '*']],
  [ts.SyntaxKind.PlusEqualsToken, ['arithmetic', '-=']],
  [ts.SyntaxKind.MinusEqualsToken, ['arithmetic', '+=']],
  [ts.SyntaxKind.AmpersandAmpersandToken, ['logic', '||']],
  [ts.SyntaxKind.BarBarToken, ['logic', '&&']],
]);

/** Calls that only inform people; no test needs to notice their loss. */
const INFORMING = /^(?:this\.)?#?(?:log|telemetry|.*\.log|.*\.telemetry)\b/;

/** Every fault that can be planted in a file. */
export function findMutants(path: string, text: string): Mutant[] {
  const source = ts.createSourceFile(path, text, ts.ScriptTarget.Latest, true);
  const found: Mutant[] = [];
  const add = (node: ts.Node, kind: string, after: string): void => {
    const start = node.getStart(source);
    const { line } = source.getLineAndCharacterOfPosition(start);
    const before = text.slice(start, node.end);
    const runsFrom =
      ts.isBinaryExpression(node.parent) && node.parent.operatorToken === node
        ? node.parent.getStart(source)
        : start;
    found.push({ path, line: line + 1, start, end: node.end, runsFrom, before, after, kind });
  };
  const visit = (node: ts.Node): void => {
    if (isPassive(node)) return;
    for (const [kind, at, after] of mutate(node, source)) add(at, kind, after);
    ts.forEachChild(node, visit);
  };
  visit(source);
  return found;
}

/** Types and imports have no effect at run time. */
function isPassive(node: ts.Node): boolean {
  return ts.isTypeNode(node) || ts.isImportDeclaration(node) || ts.isInterfaceDeclaration(node);
}

type Change = readonly [kind: string, at: ts.Node, after: string];

function mutate(node: ts.Node, source: ts.SourceFile): Change[] {
  if (ts.isBinaryExpression(node)) return swap(node);
  if (ts.isIfStatement(node) || ts.isWhileStatement(node)) return negate(node.expression, source);
  if (ts.isConditionalExpression(node)) return negate(node.condition, source);
  if (ts.isAwaitExpression(node)) return [['await', node, `(${node.expression.getText(source)})`]];
  if (ts.isNumericLiteral(node) || ts.isBigIntLiteral(node)) return shift(node);
  if (node.kind === ts.SyntaxKind.TrueKeyword) return [['constant', node, 'false']];
  if (node.kind === ts.SyntaxKind.FalseKeyword) return [['constant', node, 'true']];
  if (ts.isExpressionStatement(node)) return remove(node, source);
  if (ts.isReturnStatement(node) && ts.isIfStatement(node.parent)) return [['return', node, ';']];
  return [];
}

function swap(node: ts.BinaryExpression): Change[] {
  const [kind, after] = SWAPS.get(node.operatorToken.kind) ?? [];
  if (kind === undefined || after === undefined) return [];
  return kind === 'boundary' && choosesOperand(node) ? [] : [[kind, node.operatorToken, after]];
}

/** In `a < b ? a : b` and `if (a < b) b = a` the result is the same where the operands are equal. */
function choosesOperand(node: ts.BinaryExpression): boolean {
  const chosen = listChosen(node).map((arm) => arm.getText());
  return chosen.length > 0 && [node.left, node.right].every((operand) => chosen.includes(operand.getText()));
}

function listChosen(condition: ts.BinaryExpression): ts.Expression[] {
  const { parent: outer } = condition;
  if (ts.isConditionalExpression(outer) && outer.condition === condition)
    return [outer.whenTrue, outer.whenFalse];
  if (!ts.isIfStatement(outer) || outer.elseStatement || !ts.isExpressionStatement(outer.thenStatement))
    return [];
  const { expression } = outer.thenStatement;
  const isAssignment =
    ts.isBinaryExpression(expression) && expression.operatorToken.kind === ts.SyntaxKind.EqualsToken;
  return isAssignment ? [expression.left, expression.right] : [];
}

function negate(condition: ts.Expression, source: ts.SourceFile): Change[] {
  return [['condition', condition, `!(${condition.getText(source)})`]];
}

/** A large number is multiplied by ten, because no test pins its exact value. */
const LARGE = 100;

/** A constant becomes its neighbour; a number within a type, or the place of a property, does not come here. */
function shift(node: ts.NumericLiteral | ts.BigIntLiteral): Change[] {
  if (ts.isPropertyAssignment(node.parent) && node.parent.name === node) return [];
  if (isOrder(node)) return [];
  if (ts.isNumericLiteral(node) && Number(node.text) >= LARGE)
    return [['constant', node, `(${node.getText()} * 10)`]];
  return [['constant', node, `(${node.getText()} + ${ts.isBigIntLiteral(node) ? '1n' : '1'})`]];
}

/** Of what a comparison for a sort gives, `a < b ? -1 : 1`, only the sign counts. */
function isOrder(node: ts.Node): boolean {
  const outer = ts.isPrefixUnaryExpression(node.parent) ? node.parent.parent : node.parent;
  return ts.isConditionalExpression(outer) && [outer.whenTrue, outer.whenFalse].every(isSign);
}

function isSign(node: ts.Node): boolean {
  if (ts.isConditionalExpression(node)) return isSign(node.whenTrue) && isSign(node.whenFalse);
  return /^-?[01]$/.test(node.getText());
}

function remove(node: ts.ExpressionStatement, source: ts.SourceFile): Change[] {
  const text = node.getText(source);
  if (INFORMING.test(text) || text.startsWith('super(')) return [];
  return [['statement', node, ';']];
}

/** The text of a file with the fault in it. */
export function plant(text: string, { start, end, after }: Mutant): string {
  return text.slice(0, start) + after + text.slice(end);
}

/** The text of a file with all faults in it, except those that overlap with another. */
export function plantAll(text: string, mutants: readonly Mutant[]): string {
  let damaged = text;
  let from = text.length;
  for (const mutant of mutants.toSorted((a, b) => b.start - a.start)) {
    if (mutant.end > from) continue;
    damaged = plant(damaged, mutant);
    from = mutant.start;
  }
  return damaged;
}

/** The line before and after, as a difference shows them. */
export function showDifference(text: string, mutant: Mutant): string {
  const from = text.lastIndexOf('\n', mutant.start) + 1;
  const to = text.indexOf('\n', mutant.end);
  const lines = (part: string, mark: string): string =>
    part
      .split('\n')
      .map((line) => `    ${mark} ${line.trim()}`)
      .join('\n');
  const before = text.slice(from, to);
  const after = plant(text, mutant).slice(from, to + mutant.after.length - mutant.before.length);
  return `${lines(before, '-')}\n${lines(after, '+')}`;
}
