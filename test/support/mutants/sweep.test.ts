import assert from 'node:assert/strict';
import { test } from 'node:test';
import { createTemporaryFolder } from '../temporary.ts';
import { findMutants, plant } from './find-mutants.ts';
import { createFolderSandbox } from './folder-sandbox.ts';
import { Sweep } from './sweep.ts';

const CODE = `import { LEAST } from './least.ts';
export const isEnough = (count: number): boolean => count >= LEAST && count !== 7;
`;
const USER = "export { isEnough } from './enough.ts';\n";
const TEST = `import assert from 'node:assert/strict';
import { test } from 'node:test';
import { isEnough } from './user.ts';
test('four are enough, three are not', () => {
  assert.deepEqual([3, 4].map(isEnough), [false, true]);
});
`;

test('a sweep lists the faults that no near test notices, also through other modules', async () => {
  using folder = createTemporaryFolder();
  folder.write('package.json', '{ "type": "module" }');
  folder.write('src/room/least.ts', 'export const LEAST: number = 4;\n');
  folder.write('src/room/enough.ts', CODE);
  folder.write('src/room/user.ts', USER);
  folder.write('src/room/enough.test.ts', TEST);
  folder.write('test/none.ts', '');
  const sandbox = createFolderSandbox(folder.path);
  const mutants = findMutants('src/room/enough.ts', CODE);
  const sweep = new Sweep(sandbox, {
    accepts: (_, text) => !text.includes('||'),
    findPlaces: ({ path, runsFrom }) => [{ path, at: runsFrom }],
  });
  const left = await sweep.findUnnoticed('src/room/enough.ts', mutants);
  assert.deepEqual(
    left.map((mutant) => plant(CODE, mutant).split('\n')[mutant.line - 1]),
    ['export const isEnough = (count: number): boolean => count >= LEAST && count !== (7 + 1);'],
  );
});
