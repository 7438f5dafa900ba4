import assert from 'node:assert/strict';
import { test } from 'node:test';
import { fileURLToPath } from 'node:url';
import { isTest, readSourceTree } from '../../test/support/source-tree.ts';
import { RESOURCES } from './resources.ts';

const root = fileURLToPath(new URL('../..', import.meta.url)).replace(/\/$/, '');
const sources = readSourceTree(root, 'src').filter(({ path }) => !isTest(path));
const definitions = sources.filter(({ path }) =>
  /^src\/accounts\/[a-z]+\/([a-z-]+-)?resource\.ts$/.test(path),
);

/** `rules add` names its subject by one of three options, so it is written beside the others. */
const BESIDES = { ruleResource: ['src/accounts/index.ts', 'src/app/index.ts', 'src/cli/accounts/rules.ts'] };

test('a resource is named by its own file and by the list of resources, and nowhere else', () => {
  const named = definitions.flatMap(({ path, text }) => {
    const [, name] = /export const (\w+Resource) = define\(/.exec(text) ?? [];
    return name === undefined ? [] : [{ path, name }];
  });
  assert.equal(named.length, RESOURCES.length);
  for (const { path, name } of named) {
    const users = sources
      .filter(({ text }) => new RegExp(`\\b${name}\\b`).test(text))
      .map((file) => file.path);
    const besides = Object.entries(BESIDES).find(([special]) => special === name)?.[1] ?? [];
    assert.deepEqual(users.sort(), [path, 'src/accounts/resources.ts', ...besides].sort(), name);
  }
});

test('every command of a resource does an operation it has, and takes members that operation has', () => {
  for (const { name, operations, commands } of RESOURCES)
    for (const { does, takes = [], sets = {} } of commands.commands) {
      const operation = operations[does];
      assert.ok(operation, `${name}: ${does}`);
      for (const member of [...takes, ...Object.keys(sets)])
        assert.ok(Object.hasOwn(operation.input, member), `${name}: ${does} ${member}`);
    }
});
