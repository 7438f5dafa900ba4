import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { type JsonValue, parseExact } from './json.ts';
import { printInPieces } from './json-pieces.ts';

/** What no piece exceeds: the characters of a piece, each escaped with six. */
const LONGEST = 6 * 128 * 1024 + 100;

function print(value: JsonValue): string[] {
  return [...printInPieces(value)];
}

test('pieces are the text of the value', () => {
  fc.assert(
    fc.property(fc.jsonValue({ maxDepth: 5 }), fc.nat(3), (value, depth) => {
      let large: JsonValue = [value, 'x'.repeat(200_000), value];
      for (let at = 0; at < depth; at += 1) large = at % 2 ? [large, 1] : { a: large, gone: undefined, b: 1 };
      assert.equal(print(large).join(''), JSON.stringify(large));
    }),
    { numRuns: 50 },
  );
});

test('a long text is cut between characters, never inside one', () => {
  for (const text of ['😀', 'a😀', '\ud83d', '"\\\n', '€'].map((one) => one.repeat(150_000))) {
    const pieces = print({ text });
    assert.equal(pieces.join(''), JSON.stringify({ text }));
    assert.ok(pieces.every(({ length }) => length < LONGEST));
  }
});

test('many values are cut as well, and small ones printed together', () => {
  const list = Array.from({ length: 50_000 }, (_, at) => ({ role: 'user', content: `message ${at}` }));
  const object = Object.fromEntries(list.map((item, at) => [`k${at}`, item]));
  for (const value of [list, object, { a: [list, []], b: {} }]) {
    const pieces = print(value);
    assert.equal(pieces.join(''), JSON.stringify(value));
    assert.ok(pieces.length > 10 && pieces.length < 200, String(pieces.length));
    assert.ok(pieces.every(({ length }) => length < LONGEST));
  }
});

test('numbers that no double holds keep their digits', () => {
  const text = `{"a":[12345678901234567890,"${'x'.repeat(200_000)}"],"b":{"c":98765432109876543210}}`;
  assert.equal(print(parseExact(text) as JsonValue).join(''), text);
});
