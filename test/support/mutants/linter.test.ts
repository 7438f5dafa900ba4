import assert from 'node:assert/strict';
import { symlinkSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { createTemporaryFolder } from '../temporary.ts';
import { findMutants } from './find-mutants.ts';
import { createFolderSandbox } from './folder-sandbox.ts';
import { refusesLostAwait } from './linter.ts';

const CODE = `const keep = async (): Promise<number> => 1;
export async function run(): Promise<number> {
  await keep();
  return (await keep()) + 1;
}
export const pass = async (): Promise<number> => await keep();
`;

test('the linter refuses a promise that nothing awaits any more, and a fault of no other kind', async () => {
  using folder = createTemporaryFolder();
  folder.write('package.json', '{ "type": "module" }');
  folder.write('tsconfig.json', '{ "compilerOptions": { "strict": true, "types": [] } }');
  folder.write(
    'oxlint.config.js',
    "export default { plugins: ['typescript'], options: { typeAware: true }, rules: { 'typescript/no-floating-promises': 'error', 'no-debugger': 'error' } };",
  );
  folder.write('run.ts', CODE);
  symlinkSync(join(process.cwd(), 'node_modules'), join(folder.path, 'node_modules'));
  const sandbox = createFolderSandbox(folder.path);
  const refused: string[] = [];
  for (const mutant of findMutants('run.ts', CODE))
    if (await refusesLostAwait(mutant, sandbox)) refused.push(`${mutant.line} ${mutant.before}`);
  assert.deepEqual(refused, ['3 await keep()']);
  assert.equal(sandbox.read('run.ts'), CODE);
});
