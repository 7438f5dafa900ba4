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

/** Files besides its folder and the list that name a resource, and why. This list only shrinks. */
const BESIDES: Readonly<Record<string, readonly string[]>> = {
  // `rules add` names its subject by one of three options, so it is a command of its own.
  ruleResource: ['src/accounts/index.ts', 'src/app/index.ts', 'src/cli/accounts/rules.ts'],
  // Keys and organizations have rate limits.
  createRateLimitBook: ['src/accounts/limits/rate-limit-book.ts'],
};

/** What a definition is called, and the books it opens. */
function listNames(text: string): string[] {
  const [, name] = /export const (\w+Resource) = define\(/.exec(text) ?? [];
  const books = [...text.matchAll(/\bcreate\w+Book\b/g)].map(([book]) => book);
  return name === undefined ? [] : [name, ...new Set(books)];
}

test('a new resource touches its folder, its migration and the list: nothing else names one', () => {
  const named = definitions.filter(({ text }) => listNames(text).length > 0);
  assert.equal(named.length, RESOURCES.length);
  for (const { path, text } of named) {
    const folder = path.slice(0, path.lastIndexOf('/') + 1);
    for (const name of listNames(text)) {
      const users = sources.filter((file) => new RegExp(`\\b${name}\\b`).test(file.text));
      const outside = users
        .map((file) => file.path)
        .filter((user) => !user.startsWith(folder) && user !== 'src/accounts/resources.ts');
      assert.deepEqual(outside.sort(), BESIDES[name] ?? [], name);
    }
  }
});

test('every command of a resource names one of its operations, and its options are fields of that operation', () => {
  for (const { name, operations, commands } of RESOURCES)
    for (const { does, takes = [], sets = {} } of commands.commands) {
      const operation = operations[does];
      assert.ok(operation, `${name}: ${does}`);
      for (const member of [...takes, ...Object.keys(sets)])
        assert.ok(Object.hasOwn(operation.input, member), `${name}: ${does} ${member}`);
    }
});
