import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { JsonValue } from '#base';
import { isPresent, requireArray, requireObject, requireString } from './read-field.ts';

test('a refusal names the field, what is expected and what was sent', () => {
  const kinds: [JsonValue | undefined, string][] = [
    [undefined, 'nothing'],
    [null, 'null'],
    [[], 'an array'],
    [{}, 'an object'],
    ['', 'a string'],
    [0, 'a number'],
    [false, 'a boolean'],
  ];
  const readers = [
    ['a string', requireString],
    ['an object', requireObject],
    ['an array', requireArray],
  ] as const;
  for (const [expected, read] of readers)
    for (const [value, kind] of kinds) {
      if (kind === expected) assert.equal(read(value, 'a.b'), value);
      else
        assert.throws(() => read(value, 'a.b'), {
          message: `a.b: expected ${expected}, got ${kind}`,
          param: 'a.b',
        });
    }
});

test('null and a missing member are not present', () => {
  const values: (JsonValue | undefined)[] = [undefined, null, 0, '', false];
  assert.deepEqual(values.map(isPresent), [false, false, true, true, true]);
});
