import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { Type } from 'typebox';
import { Check } from 'typebox/value';
import { findFault } from './find-fault.ts';

const item = Type.Union([Type.String({ minLength: 1 }), Type.Object({ text: Type.String() })]);
const schema = Type.Object(
  {
    a: Type.String({ pattern: '^x' }),
    b: Type.Optional(Type.Integer({ minimum: 1 })),
    list: Type.Optional(
      Type.Union([Type.Null(), Type.Array(item, { minItems: 1, maxItems: 3 }), Type.Array(Type.Integer())]),
    ),
    map: Type.Optional(Type.Record(Type.String(), Type.Boolean())),
    word: Type.Optional(Type.Enum(['one', 'two'])),
  },
  { additionalProperties: false },
);

const member = fc.oneof(
  { depthSize: 'small', withCrossShrink: true },
  fc.constantFrom('', 'x', 'one', 0, 1, 1.5, true, null),
  fc.array(fc.constantFrom('x', '', 1, { text: 'x' }, { text: 1 }), { maxLength: 5 }),
  fc.dictionary(fc.constantFrom('text', 'k'), fc.constantFrom(true, 'x')),
);

test('a fault is found exactly where a value does not fit', () => {
  const names = fc.constantFrom('a', 'b', 'list', 'map', 'word', 'other');
  fc.assert(
    fc.property(fc.dictionary(names, member), (value) => {
      assert.equal(findFault(schema, value) === undefined, Check(schema, value), JSON.stringify(value));
    }),
    { numRuns: 2_000 },
  );
});

test('the fault named is the one that helps: a name misspelt, a size, the shape that was meant', () => {
  const pathOf = (value: unknown): string => {
    const { path = [], keyword = '', missing = [] } = findFault(schema, value) ?? {};
    return `${[...path, ...missing].join('.')} ${keyword}`;
  };
  assert.equal(pathOf({}), 'a required');
  assert.equal(pathOf({ other: 1 }), 'other boolean');
  assert.equal(pathOf({ a: 'y' }), 'a pattern');
  assert.equal(pathOf({ a: 'x', b: 0 }), 'b minimum');
  assert.equal(pathOf({ a: 'x', list: ['x', { text: 1 }] }), 'list.1.text type');
  assert.equal(pathOf({ a: 'x', map: { 'k/~': 1 } }), 'map.k/~ type');
  assert.deepEqual(findFault(schema, { a: 'x', word: 'three' })?.allowed, ['one', 'two']);
  assert.equal(
    findFault(schema, { a: 'x', list: ['', '', '', ''] })?.message,
    'must not have more than 3 items; it has 4',
  );
});

test('looking for a fault ends at the first, however many there are, and at a size before any item', () => {
  const read = (items: number, find: (list: unknown[]) => unknown): number => {
    let count = 0;
    const list = new Proxy(Array<string>(items).fill(''), {
      get: (target, key: string) => {
        if (typeof key === 'string' && /^\d+$/.test(key)) count += 1;
        return Reflect.get(target, key) as unknown;
      },
    });
    assert.ok(find(list));
    return count;
  };
  const many = Type.Array(Type.String({ minLength: 1 }), { minItems: 1 });
  assert.ok(read(100_000, (list) => findFault(many, list)) < 10);
  assert.equal(
    read(100_000, (list) => findFault(Type.Array(item, { maxItems: 3 }), list)),
    0,
  );
});
