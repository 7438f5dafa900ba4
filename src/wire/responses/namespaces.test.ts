import assert from 'node:assert/strict';
import { test } from 'node:test';
import { ToolNaming, flattenName, listPlacedNames } from './namespaces.ts';

const plain = (name: string) => ({ name });
const placed = (namespace: string, name: string) => ({ namespace, name });

test('the flat name of a tool is its namespace and its name', () => {
  assert.equal(flattenName(placed('mcp', 'f')), 'mcp__f');
  assert.equal(flattenName(placed('mcp__', 'f')), 'mcp__f');
});

test('flat names differ wherever tools do, and plain tools keep theirs', () => {
  const given = [placed('a', 'f'), placed('a__', 'f'), placed('b', 'f'), placed('b', 'f'), plain('b__f')];
  const naming = new ToolNaming(given);
  assert.deepEqual(
    given.map((name) => naming.find(name)),
    ['a__f', 'a__f_2', 'b__f_2', 'b__f_2', 'b__f'],
  );
});

test('a name without a namespace is of the plain tool, or of the first namespace with it', () => {
  const naming = new ToolNaming([
    placed('functions', 'exec'),
    placed('other', 'exec'),
    placed('a', 'f'),
    plain('f'),
  ]);
  assert.equal(naming.find(plain('exec')), 'functions__exec');
  assert.equal(naming.find({ namespace: null, name: 'f' }), 'f');
});

test('tools that are not listed keep the names of their calls', () => {
  const naming = new ToolNaming([]);
  assert.equal(naming.find(plain('f')), 'f');
  assert.equal(naming.find(placed('a', 'f')), 'a__f');
});

test('only tools of a namespace have a place', () => {
  const tools = [
    { type: 'function', name: 'a__f', extra: { responses: { namespace: 'a', name: 'f' } } },
    { type: 'function', name: 'g', extra: { responses: { async: true } } },
    { type: 'native', format: 'responses', value: { type: 'web_search' } },
  ] as const;
  assert.deepEqual([...listPlacedNames(tools)], [['a__f', placed('a', 'f')]]);
});
