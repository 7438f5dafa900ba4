import assert from 'node:assert/strict';
import { createRequire } from 'node:module';
import { join, relative } from 'node:path';
import { after, before, suite, test } from 'node:test';
import { fileURLToPath, pathToFileURL } from 'node:url';
import { bundle } from '../../build/bundle.ts';
import { type TemporaryFolder, createTemporaryFolder } from '../support/temporary.ts';

const root = fileURLToPath(new URL('../..', import.meta.url));

/** A package that a file imports on demand, the file of it that is bundled, and the part of the bundle with it. */
interface Demand {
  importer: string;
  wanted: string;
  path: string;
  part: string;
}

suite('what the bundle loads on demand', () => {
  let folder: TemporaryFolder;
  let demands: Demand[];

  before(async () => {
    folder = createTemporaryFolder('sluice-bundle-');
    const { inputs, outputs } = await bundle(root, folder.path);
    const parts = new Map(Object.entries(outputs).map(([part, { entryPoint = '' }]) => [entryPoint, part]));
    demands = Object.entries(inputs).flatMap(([importer, { imports }]) =>
      imports.flatMap(({ kind, path, original: wanted = '' }) => {
        const part = kind === 'dynamic-import' ? parts.get(path) : undefined;
        return part === undefined || !path.includes('node_modules/')
          ? []
          : [{ importer, wanted, path, part }];
      }),
    );
  });
  after(() => folder.remove());

  test('are packages whose every name is what Node exports of them', async () => {
    assert.ok(demands.length >= 7, JSON.stringify(demands));
    for (const { importer, wanted, path, part } of demands) {
      const file = createRequire(join(root, importer)).resolve(wanted);
      const expected = await describeExports(file);
      // A package may have a module for bundlers besides its CommonJS, which Node gives a default.
      if (!path.endsWith(relative(root, file))) delete expected['default'];
      const found = await describeExports(join(root, part));
      assert.deepEqual(found, { ...found, ...expected }, wanted);
    }
  });
});

/** The type of each name: that of a constant of the bundle may be `undefined`. */
async function describeExports(file: string): Promise<Record<string, string>> {
  const all = (await import(pathToFileURL(file).href)) as Record<string, unknown>;
  const names = Object.keys(all).filter((name) => name !== 'module.exports');
  return Object.fromEntries(names.map((name) => [name, typeof all[name]]));
}
