import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { findStringEnd, isJsonObject, parseExactObject, parseJson, parseJsonObject } from './json.ts';

test('a string ends at its first quote that is not escaped, however many are', () => {
  fc.assert(
    fc.property(
      fc.array(fc.constantFrom('"', '\\', 'a', 'é', ' '.repeat(70)), { maxLength: 300 }),
      (parts) => {
        const text = JSON.stringify(parts.join(''));
        const bytes = Buffer.from(`x${text}"`);
        assert.equal(findStringEnd(bytes, 1), bytes.length - 2);
      },
    ),
  );
  assert.equal(findStringEnd(Buffer.from('"never'), 0), 6);
  assert.equal(findStringEnd(Buffer.from('"\\"'), 0), 3);
});

test('text that is no JSON gives undefined, not an exception', () => {
  assert.equal(parseJson('{"a":'), undefined);
  assert.equal(parseJson(''), undefined);
  assert.equal(parseJson('null'), null);
  assert.equal(parseJsonObject('[1]'), undefined);
  assert.deepEqual(parseJsonObject('{"a":1}'), { a: 1 });
  assert.equal(isJsonObject([]), false);
});

test('integers beyond the precision of a double are printed unchanged', () => {
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
