import assert from 'node:assert/strict';
import { test } from 'node:test';
import { readNames } from './names.ts';

test('a project may have the name of its organization', async () => {
  const stored = ['org_one', 'prj_one', 'prj_two'].map((id) => ({ id, name: 'Default', removed: false }));
  const directory = { listNames: () => Promise.resolve(stored) };
  const names = await readNames(directory, ['org_one', 'prj_one', 'prj_two']);
  assert.equal(names.show('org_one'), 'Default');
  assert.equal(names.showShort('org_one'), 'Default');
  assert.equal(names.show('prj_one'), 'Default (prj_one)');
});

test('a name says that its record was removed, beside the id where another has the name, too', async () => {
  const stored = [
    { id: 'prj_one', name: 'web', removed: true },
    { id: 'prj_two', name: 'web', removed: false },
    { id: 'key_old', name: 'continuous integration', removed: true },
    { id: 'key_new', name: 'laptop', removed: false },
  ];
  const directory = { listNames: () => Promise.resolve(stored) };
  const ids = [...stored.map(({ id }) => id), 'key_none'];
  const names = await readNames(directory, ids);
  assert.deepEqual(
    ids.map((id) => names.show(id)),
    ['web (prj_one, removed)', 'web (prj_two)', 'continuous integration (removed)', 'laptop', 'key_none'],
  );
  assert.deepEqual(
    ids.map((id) => names.showShort(id)),
    ['web …_one (removed)', 'web …_two', 'continuous inte… (removed)', 'laptop', 'key_none'],
  );
});
