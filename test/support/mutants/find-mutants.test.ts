import assert from 'node:assert/strict';
import { test } from 'node:test';
import { fileURLToPath } from 'node:url';
import { AREAS, listArea } from './areas.ts';
import { findMutants, plant, showDifference } from './find-mutants.ts';
import { NearTests } from './near-tests.ts';

const root = fileURLToPath(new URL('../../..', import.meta.url)).replace(/\/$/, '');

const plantAll = (text: string): string[] => findMutants('a.ts', text).map((mutant) => plant(text, mutant));

test('each fault changes one thing, and nothing that does not run', () => {
  assert.deepEqual(plantAll('const a = b < 2n && !c;'), [
    'const a = b < 2n || !c;',
    'const a = b <= 2n && !c;',
    'const a = b < (2n + 1n) && !c;',
  ]);
  assert.deepEqual(plantAll('if (a) return;'), ['if (!(a)) return;', 'if (a) ;']);
  assert.deepEqual(plantAll('const a = b ? c + 1 : true;'), [
    'const a = !(b) ? c + 1 : true;',
    'const a = b ? c - 1 : true;',
    'const a = b ? c + (1 + 1) : true;',
    'const a = b ? c + 1 : false;',
  ]);
  assert.deepEqual(plantAll('await keep();'), [';', '(keep());']);
  assert.deepEqual(
    plantAll("import { a } from 'b'; interface C { d: 1 } type E = 2; this.#log.warn({}, 'f');"),
    [],
  );
});

test('no fault is planted in the sign of a comparison, and a large number is not moved by one', () => {
  assert.deepEqual(plantAll('const a = b < c ? -1 : 1;'), [
    'const a = !(b < c) ? -1 : 1;',
    'const a = b <= c ? -1 : 1;',
  ]);
  assert.deepEqual(plantAll('const a = 5_000;'), ['const a = (5_000 * 10);']);
});

test('no boundary is moved where the lesser or greater of two values is chosen', () => {
  assert.deepEqual(plantAll('const a = b < c ? c : b;'), ['const a = !(b < c) ? c : b;']);
  assert.deepEqual(plantAll('const a = b < c ? d : b;'), [
    'const a = !(b < c) ? d : b;',
    'const a = b <= c ? d : b;',
  ]);
  assert.deepEqual(plantAll('if (a < b) b = a;'), ['if (!(a < b)) b = a;', 'if (a < b) ;']);
  assert.equal(plantAll('if (a < b) b = c;').length, 3);
  assert.equal(plantAll('if (a < b) b = a; else c = a;').length, 4);
});

test('a swapped operator affects every run of its left side', () => {
  const [swapped] = findMutants('a.ts', 'const a = b && c;');
  assert.deepEqual([swapped?.start, swapped?.runsFrom], [12, 10]);
});

test('a fault is shown as the line before and after', () => {
  const text = 'const a = 1;\nconst b = a === 2;\n';
  const mutant = findMutants('a.ts', text).find(({ kind }) => kind === 'equality');
  assert.ok(mutant);
  assert.equal(mutant.line, 2);
  assert.equal(showDifference(text, mutant), '    - const b = a === 2;\n    + const b = a !== 2;');
});

test('the tests of a file are those that reach it: its own, then its folder’s, broad ones, its room’s, and others', () => {
  const near = new NearTests(root);
  const found = near.find('src/accounts/limits/sliding-window.ts');
  assert.equal(found[0], 'src/accounts/limits/sliding-window.test.ts');
  assert.ok(found[1]?.startsWith('src/accounts/limits/'), found[1]);
  assert.ok(
    found.indexOf('src/accounts/limits/limiter.test.ts') < found.indexOf('test/e2e/rate-limits.test.ts'),
  );
  assert.ok(found.includes('test/e2e/rate-limits.test.ts'), 'a gateway in a process of its own runs it, too');
  const ofWire = near.find('src/wire/gemini/request/encode-reasoning.ts');
  const golden = ofWire.indexOf('test/golden/matrix.test.ts');
  assert.ok(
    golden > ofWire.findLastIndex((path) => path.startsWith('src/wire/gemini/')),
    'after its folder’s',
  );
  assert.ok(golden < ofWire.findIndex((path) => path.startsWith('src/wire/chat/')), 'before other formats’');
});

test('every area names files that exist', () => {
  for (const globs of Object.values(AREAS)) assert.ok(listArea(root, globs).length > 0);
});
