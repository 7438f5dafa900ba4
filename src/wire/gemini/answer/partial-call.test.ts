import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { JsonObject, JsonValue } from '#base';
import { PartialCall } from './partial-call.ts';

function read(...pieces: JsonValue[]): unknown {
  const call = new PartialCall();
  for (const piece of pieces) call.add([piece]);
  return JSON.parse(call.json);
}
const at = (jsonPath: string, value: JsonValue): JsonObject => ({
  jsonPath,
  [typeof value === 'string' ? 'stringValue' : typeof value === 'number' ? 'numberValue' : 'boolValue']:
    value,
});

test('pieces are put at their paths: texts grow, other values are whole', () => {
  assert.deepEqual(read(at('$.a', 'x'), at('$.a', 'y'), at('$.b.c', 1), at('$.b.c', 2), at('$.b.d', true)), {
    a: 'xy',
    b: { c: 2, d: true },
  });
  assert.deepEqual(read({ jsonPath: '$.a', nullValue: 'NULL_VALUE' }), { a: null });
  assert.deepEqual(read(at("$['a b']", 1), at('$["c\\"d"]', 2), at('.e', 3)), { 'a b': 1, 'c\\"d': 2, e: 3 });
});

test('lists grow in order, item by item, and text within them too', () => {
  assert.deepEqual(
    read(at('$.l[0]', 'x'), at('$.l[0]', 'y'), at('$.l[1]', 'z'), at('$.l[2].a', 1), at('$.l[2].b', 2)),
    { l: ['xy', 'z', { a: 1, b: 2 }] },
  );
  assert.deepEqual(
    read(at('$.l[0]', 1), at('$.l[2]', 3), at('$.l.name', 4)),
    { l: [1] },
    'no gaps, no names',
  );
});

test('a list or a path without end is cut', () => {
  const call = new PartialCall();
  for (let index = 0; index < 10_002; index += 1) call.add([at(`$.l[${index}]`, 1)]);
  assert.equal((JSON.parse(call.json) as { l: number[] }).l.length, 10_000);
  const deep = read(at(`$${'.a'.repeat(70)}`, 1));
  assert.equal(JSON.stringify(deep).split('"a"').length - 1, 64);
});

test('pieces without a path or a value are skipped, and complete arguments beside them count', () => {
  assert.deepEqual(
    read('text', null, { stringValue: 'x' }, { jsonPath: 5, stringValue: 'x' }, { jsonPath: '$.a' }),
    {},
  );
  const call = new PartialCall();
  call.merge({ a: 1 });
  call.merge('no object');
  call.add([at('$.b', 2)]);
  assert.deepEqual(JSON.parse(call.json), { a: 1, b: 2 });
});
