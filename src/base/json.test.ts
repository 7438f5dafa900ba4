import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { isJsonObject, measureDepth, parseExactObject, parseJson, parseJsonObject } from './json.ts';

function depthOf(value: unknown): number {
  if (typeof value !== 'object' || value === null) return 0;
  return 1 + Math.max(0, ...Object.values(value).map(depthOf));
}

test('the depth measured in bytes is the depth of the value, whatever its strings hold', () => {
  fc.assert(
    fc.property(fc.jsonValue({ maxDepth: 12 }), (value) => {
      assert.equal(measureDepth(Buffer.from(JSON.stringify(value)), 1000), depthOf(value));
    }),
  );
});

test('brackets and escaped quotes inside strings do not count', () => {
  const text = JSON.stringify({ a: '[[[{{{"\\"[[', b: ['\\'] });
  assert.equal(measureDepth(Buffer.from(text), 100), 2);
});

test('measuring stops at the limit and survives anything', () => {
  assert.equal(measureDepth(Buffer.from('['.repeat(1_000_000)), 128), 129);
  fc.assert(fc.property(fc.uint8Array(), (bytes) => measureDepth(Buffer.from(bytes), 128) >= 0));
});

test('text that is no JSON gives undefined, not an exception', () => {
  assert.equal(parseJson('{"a":'), undefined);
  assert.equal(parseJson(''), undefined);
  assert.equal(parseJson('null'), null);
  assert.equal(parseJsonObject('[1]'), undefined);
  assert.deepEqual(parseJsonObject('{"a":1}'), { a: 1 });
  assert.equal(isJsonObject([]), false);
});

test('whole numbers that no double holds are printed as they came', () => {
  const text =
    '{"id":9007199254740993,"list":[-12345678901234567890],"__proto__":{"x":1},"text":"9007199254740993"}';
  assert.equal(JSON.stringify(parseExactObject(text)), text);
  assert.equal(JSON.stringify(parseExactObject('{"id":\n 9007199254740993}')), '{"id":9007199254740993}');
});

test('all other values are those of any JSON', () => {
  const values = fc.oneof(fc.jsonValue(), fc.dictionary(fc.string(), fc.maxSafeInteger()), fc.double());
  fc.assert(
    fc.property(fc.dictionary(fc.string(), values), (value) => {
      const text = JSON.stringify({ ...value, time: ':1700000000000000000' });
      assert.equal(JSON.stringify(parseExactObject(text)), JSON.stringify(parseJsonObject(text)));
    }),
  );
  for (const text of ['', '[1234567890123456789]', '{"a":1234567890123456789', '{"a":01234567890123456789}'])
    assert.equal(parseExactObject(text), undefined);
});
