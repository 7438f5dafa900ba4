import assert from 'node:assert/strict';
import { test } from 'node:test';
import { fileURLToPath } from 'node:url';
import { isTest, readSourceTree } from '../../test/support/source-tree.ts';
import { RESOURCES } from './resources.ts';

const root = fileURLToPath(new URL('../..', import.meta.url)).replace(/\/$/, '');
const sources = readSourceTree(root, 'src').filter(({ path }) => !isTest(path));
const definitions = sources.filter(({ path }) =>
  /^src\/accounts\/[a-z-]+\/([a-z-]+-)?resource\.ts$/.test(path),
);

/** Files besides its folder and the list that name a resource, and why. This list only shrinks. */
const BESIDES: Readonly<Record<string, readonly string[]>> = {
  // Keys and organizations have rate limits.
  createRateLimitStore: ['src/accounts/limits/rate-limit-store.ts'],
  // Keys and projects choose providers.
  createRoutingStore: ['src/accounts/routing/routing-store.ts'],
};

/** What a definition is called, and the stores it opens. */
function listNames(text: string): string[] {
  const [, name] = /export const (\w+Resource) = define\(/.exec(text) ?? [];
  const stores = [...text.matchAll(/\bcreate\w+Store\b/g)].map(([store]) => store);
  return name === undefined ? [] : [name, ...new Set(stores)];
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
    for (const { operation: does, inputs: takes = [], fixed: sets = {} } of commands.commands) {
      const operation = operations[does];
      assert.ok(operation, `${name}: ${does}`);
      for (const member of [...takes, ...Object.keys(sets)])
        assert.ok(Object.hasOwn(operation.input, member), `${name}: ${does} ${member}`);
    }
});

test('what commands name is listed by its name, and known by its id when it is deleted', () => {
  for (const { name, fields, named, operations, table } of RESOURCES) {
    if (!named) continue;
    assert.ok(Object.hasOwn(fields, named.by), `${name}: ${named.by}`);
    assert.ok(operations['list']?.input['search'], `${name}: search`);
    assert.ok(table, `${name}: table`);
  }
});

const DECLARED = RESOURCES.flatMap((resource) =>
  resource.manifest ? [{ resource, declares: resource.manifest }] : [],
);

test('what files declare of a resource is set by its operations, read from its records, and in a resource that files list', () => {
  const lists = DECLARED.filter(({ declares }) => declares.list !== undefined);
  for (const { resource, declares } of DECLARED) {
    const { name, fields, operations } = resource;
    for (const owner of declares.within ?? [])
      assert.ok(
        lists.some((each) => each.resource.name === owner),
        `${name}: ${owner}`,
      );
    for (const [operation, members] of Object.entries(declares.fields))
      for (const member of members) {
        assert.ok(
          Object.hasOwn(operations[operation]?.input ?? {}, member),
          `${name}: ${operation} ${member}`,
        );
        assert.ok(Object.hasOwn(fields, member), `${name}: records have no ${member}`);
      }
    if (declares.name !== undefined) assert.ok(operations['create']?.input[declares.name], name);
    for (const needed of declares.list === undefined ? ['get', 'update'] : ['list', 'create'])
      assert.ok(operations[needed], `${name}: ${needed}`);
  }
});

test('files declare every setting of their resources', () => {
  for (const { resource, declares } of DECLARED) {
    const declared = new Set([declares.name, ...Object.values(declares.fields).flat()]);
    for (const operation of ['create', 'update']) {
      const input = resource.operations[operation]?.input ?? {};
      const owners = Object.entries(input).flatMap(
        ([
          member,
          {
            type: { refersTo: names },
          },
        ]) => {
          if (typeof names === 'object') return [member, names.member];
          return names !== undefined && declares.within?.includes(names) ? [member] : [];
        },
      );
      for (const member of Object.keys(input))
        assert.ok(declared.has(member) || owners.includes(member), `${resource.name}: ${member}`);
    }
  }
});
