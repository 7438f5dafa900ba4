import assert from 'node:assert/strict';
import { test } from 'node:test';
import ts from 'typescript';
import { findBreaches } from './find-breaches.ts';

const OPTIONS: ts.CompilerOptions = { noLib: true, strict: true, target: ts.ScriptTarget.ES2024 };
const DECLARED = `interface Point { x?: number; y?: number }
declare const isLong: boolean; declare const one: Point;
declare function take(point: Point | undefined): void; declare function takeAny(point: { [name: string]: number }): void;`;

/** The messages of what is wrong with a text. */
function check(text: string, isAmbient = false): string[] {
  const host = ts.createCompilerHost(OPTIONS);
  const file = ts.createSourceFile('a.ts', `${DECLARED}\n${text}`, ts.ScriptTarget.ES2024, true);
  const program = ts.createProgram(['a.ts'], OPTIONS, {
    ...host,
    getSourceFile: (name) => (name === 'a.ts' ? file : undefined),
  });
  return findBreaches(file, program.getTypeChecker(), { isAmbient }).map(({ message }) => message);
}

test('a misspelt member of a literal that is spread into an object is found, however it is chosen', () => {
  const message = '“z” is not a member of the object it is spread into.';
  for (const spread of [
    '{ z: 1 }',
    'isLong && { x: 1, z: 1 }',
    'isLong ? { x: 1 } : { z: 1 }',
    'isLong ? (isLong && { z: 1 }) : one',
    'undefined ?? { z: 1 }',
  ]) {
    assert.deepEqual(check(`const point: Point = { ...(${spread}) };`), [message], spread);
    assert.deepEqual(check(`take({ y: 2, ...(${spread}) });`), [message], spread);
  }
});

test('members that exist, and those of an object that takes any, are no breach', () => {
  for (const text of [
    'const point: Point = { ...(isLong && { x: 1 }), ...(isLong ? { y: 1 } : {}) };',
    'takeAny({ ...(isLong && { z: 1 }) });',
    'const free = { ...(isLong && { z: 1 }) };',
    'const point: Point = { ...one };',
  ])
    assert.deepEqual(check(text), [], text);
});

test('time, chance, settings and raw JSON are found, but not where they are given to the rest', () => {
  const breaches: Record<string, string> = {
    'Date.now();': 'Use a Clock from #base.',
    'new Date();': 'Use a Clock from #base.',
    'Math.random();': 'Use Chance from #base.',
    'process.env;': 'Only app reads the environment.',
    "JSON.parse('1');": 'Use parseJson from #base.',
    "export * from './b.ts';": 'Name what a room exports.',
    'export default 1;': 'No default exports.',
    'export default function a() {}': 'No default exports.',
  };
  for (const [text, message] of Object.entries(breaches)) {
    assert.deepEqual(check(text), [message], text);
    assert.deepEqual(check(text, true), [], text);
  }
  assert.deepEqual(check("new Date(1); export { a } from './b.ts'; export const b = 1;"), []);
});
