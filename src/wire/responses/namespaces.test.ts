import assert from 'node:assert/strict';
import { test } from 'node:test';
import { findPlacedNames, flattenName } from './namespaces.ts';

const tool = (name: unknown) => ({ type: 'function', name }) as never;
const space = (name: unknown, ...tools: unknown[]) => ({ type: 'namespace', name, tools }) as never;

test('tools of namespaces have flat names, and a plain tool of such a name wins', () => {
  assert.equal(flattenName({ namespace: 'mcp', name: 'f' }), 'mcp__f');
  assert.equal(flattenName({ namespace: 'mcp__', name: 'f' }), 'mcp__f');
  const placed = findPlacedNames([space('a', tool('f'), tool('g'), tool(5)), tool('a__g'), tool('f')]);
  assert.deepEqual([...placed], [['a__f', { namespace: 'a', name: 'f' }]]);
});

test('a namespace of the flat name of a tool does not hide it, nor do tools without names', () => {
  const placed = findPlacedNames([
    space('a', tool('f')),
    space('a__f'),
    space(5, tool('x')),
    tool(undefined),
  ]);
  assert.deepEqual([...placed.keys()], ['a__f']);
  assert.equal(findPlacedNames([tool('f')]).size, 0);
  assert.equal(findPlacedNames(undefined).size, 0);
});
