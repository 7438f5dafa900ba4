import { execFile } from 'node:child_process';
import { existsSync, mkdirSync, symlinkSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { createTemporaryFolder } from '../temporary.ts';

const root = fileURLToPath(new URL('../../..', import.meta.url));
const run = promisify(execFile);

/** The program of an earlier revision, built from its own sources; `undefined` where Git does not have it. */
export async function buildEarlier(revision: string): Promise<string | undefined> {
  const folder = join(root, `node_modules/.cache/program-at-${revision}`);
  const main = join(folder, 'lib/main.js');
  if (existsSync(main)) return main;
  using sources = createTemporaryFolder('sluice-earlier-');
  const archive = join(sources.path, 'sources.tar');
  const checkout = join(sources.path, 'checkout');
  mkdirSync(checkout);
  try {
    await run('git', ['archive', '--format=tar', '-o', archive, revision], { cwd: root });
  } catch {
    return undefined;
  }
  await run('tar', ['-xf', archive, '-C', checkout]);
  symlinkSync(join(root, 'node_modules'), join(checkout, 'node_modules'));
  await run(process.execPath, ['build/build.ts', folder], { cwd: checkout });
  return main;
}
