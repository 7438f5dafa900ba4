import assert from 'node:assert/strict';
import { test } from 'node:test';
import { createTemporaryFolder } from '../temporary.ts';
import { findMutants } from './find-mutants.ts';
import { TypeChecker } from './type-checker.ts';

const CONSTANTS =
  'export const LIMIT = 5;\nconst table = { most: LIMIT * 2 };\nexport const run = () => table.most > 1;\n';
const USER =
  "import { LIMIT } from './constants.ts';\nexport function isFull(count: number) {\n  return count > LIMIT;\n}\n";

test('the compiler checks one changed file, and a constant takes effect where functions use it', () => {
  using folder = createTemporaryFolder();
  folder.write(
    'tsconfig.json',
    '{ "compilerOptions": { "strict": true, "types": [], "module": "nodenext", "noEmit": true, "allowImportingTsExtensions": true } }',
  );
  folder.write('constants.ts', CONSTANTS);
  folder.write('user.ts', USER);
  const checker = new TypeChecker(folder.path);
  assert.equal(checker.accepts('constants.ts', CONSTANTS.replace('5', '6')), true);
  assert.equal(checker.accepts('constants.ts', CONSTANTS.replace('5', "'6'")), false);

  const [limit, , , boundary] = findMutants('constants.ts', CONSTANTS);
  assert.ok(limit && boundary);
  const show = (found: { path: string; at: number }[]): string[] =>
    found.map(({ path, at }) => {
      const text = path === 'user.ts' ? USER : CONSTANTS;
      return `${path}: ${text.slice(at, text.indexOf(';', at))}`;
    });
  assert.deepEqual(show(checker.findPlaces(limit)).sort(), [
    'constants.ts: table.most > 1',
    'user.ts: LIMIT',
  ]);
  assert.deepEqual(show(checker.findPlaces(boundary)), ['constants.ts: table.most > 1']);
});
