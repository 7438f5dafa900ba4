import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { test } from 'node:test';
import { fileURLToPath } from 'node:url';
import { isTest, listFiles } from '../support/source-tree.ts';
import { testGeneratedPage } from './generated-page.ts';
import { PITFALLS } from './pitfalls.ts';

const COUNT = 87;
const root = fileURLToPath(new URL('../..', import.meta.url)).replace(/\/$/, '');
const TITLE = /\btest\(\s*(['"`])((?:(?!\1)[^\\\n]|\\.)*\[D-\d+\](?:(?!\1)[^\\\n]|\\.)*)\1/g;

/** A test and where it stands. */
interface Proof {
  title: string;
  path: string;
}

/** The tests of each pitfall, found by the numbers in their titles. */
function findProofs(): Map<number, Proof[]> {
  const proofs = new Map<number, Proof[]>();
  const paths = ['src', 'test'].flatMap((folder) => listFiles(root, folder)).filter(isTest);
  for (const path of paths) {
    for (const [, , reported = ''] of readFileSync(`${root}/${path}`, 'utf8').matchAll(TITLE)) {
      const title = reported
        .replaceAll(/\[D-\d+\] /g, '')
        .replaceAll(/\$\{[^}]*\}/g, '…')
        .replaceAll('\\', '');
      for (const [, digits] of reported.matchAll(/\[D-(\d+)\]/g)) {
        const number = Number(digits);
        proofs.set(number, [...(proofs.get(number) ?? []), { title, path }]);
      }
    }
  }
  return proofs;
}

const proofs = findProofs();
const numbers = Array.from({ length: COUNT }, (_, at) => at + 1);

test('every pitfall has a test or a reason, and never both', () => {
  const bare = numbers.filter((number) => !proofs.has(number) && !PITFALLS[number]?.reason);
  const doubled = numbers.filter((number) => proofs.has(number) && PITFALLS[number]?.reason);
  assert.deepEqual({ bare, doubled }, { bare: [], doubled: [] });
});

test('the pitfalls are numbered without a gap, and no test names one that does not exist', () => {
  assert.deepEqual(Object.keys(PITFALLS).map(Number), numbers);
  const unknown = [...proofs.keys()].filter((number) => !PITFALLS[number]);
  assert.deepEqual(unknown, []);
});

test('a pitfall has a short name', () => {
  const long = Object.values(PITFALLS).filter(({ name }) => name.split(/\s+/).length > 12);
  assert.deepEqual(long, []);
});

function drawPitfall(number: number): string {
  const { name = '', reason } = PITFALLS[number] ?? {};
  const lines = reason
    ? [`does not concern Sluice: ${reason}`]
    : (proofs.get(number) ?? []).map(({ title, path }) => `${title}: \`${path}\``);
  return [`${number}. **${name}**`, ...lines.map((line) => `    - ${line}`)].join('\n');
}

function drawPage(): string {
  return `# Pitfalls

Common faults in translating between wire formats, each with the tests that cover it. Generated from \`test/docs/pitfalls.ts\` and the
titles of tests with a number (\`[D-4]\`); \`UPDATE_DOCS=1 npm test -- --only test/docs\` updates this page.

${numbers.map(drawPitfall).join('\n')}
`;
}

testGeneratedPage('docs/pitfalls.md', drawPage);
