import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { JsonObject } from '#base';
import { resolveReference } from './resolve-reference.ts';

const A = { type: 'string' };
const ROOT: JsonObject = {
  $defs: { A, 'a/b~c d': A, list: [A, 5], text: 'A' },
  properties: {},
};

test('a local reference is the schema at its pointer', () => {
  const pointers = ['#/$defs/A', '#/$defs/a~1b~0c%20d', '#/$defs/list/0'];
  for (const pointer of pointers) assert.equal(resolveReference(ROOT, pointer), A, pointer);
  assert.equal(resolveReference(ROOT, '#'), ROOT);
});

test('a reference to nothing, to no schema or to elsewhere has none', () => {
  const others = [
    '#/$defs/B',
    '#/$defs/text',
    '#/$defs/text/length',
    '#/$defs/list/1',
    '#/$defs/list/9',
    '#/$defs/list/length',
    '#/$defs/toString',
    '#/$defs/B/toString',
    '#A',
    '#$defs/A',
    'https://a.test/schema#/$defs/A',
    '/$defs/A',
    '#/%',
  ];
  for (const pointer of others) assert.equal(resolveReference(ROOT, pointer), undefined, pointer);
});
