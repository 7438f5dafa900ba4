import assert from 'node:assert/strict';
import { test } from 'node:test';
import { fileURLToPath } from 'node:url';
import { isTest, readSourceTree } from '../../../test/support/source-tree.ts';

const root = fileURLToPath(new URL('../../..', import.meta.url)).replace(/\/$/, '');
const LISTS: Readonly<Record<string, string>> = {
  admin: 'src/http/endpoints/admin/index.ts',
  gateway: 'src/http/endpoints/index.ts',
};

test('a new endpoint touches its folder and one list: nothing else names one', () => {
  const sources = readSourceTree(root, 'src').filter(({ path }) => !isTest(path));
  const named = sources.flatMap(({ path, text }) => {
    const [, area = ''] = /^src\/http\/endpoints\/(admin|gateway)\/[^/]+\/endpoint\.ts$/.exec(path) ?? [];
    const [, name] = /export const (\w+Endpoint) = define/.exec(text) ?? [];
    return name === undefined || area === '' ? [] : [{ path, name, list: LISTS[area] }];
  });
  assert.ok(named.length > 30);
  for (const { path, name, list } of named) {
    const imported = new RegExp(`\\bimport [^;]*\\b${name}\\b[^;]* from `);
    const users = sources.filter((file) => file.path !== path && imported.test(file.text));
    assert.deepEqual(
      users.map((user) => user.path),
      [list],
      name,
    );
  }
});
