import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import {
  BODY_LIMITS,
  MAX_DEPTH,
  describeExcess,
  isHeavy,
  isSurelyLight,
  measureAtOnce,
} from './json-limits.ts';

/** What measuring finds: whether the text may be parsed at once. */
function isLight(bytes: Buffer): boolean {
  const size = measureAtOnce(bytes, BODY_LIMITS);
  const isPermitted = size.depth <= MAX_DEPTH && describeExcess(size, BODY_LIMITS) === undefined;
  return isPermitted && !isHeavy(bytes.length, size.values);
}

test('what is surely light is found to be so by measuring it, whatever the text', () => {
  const pieces = fc.constantFrom(
    '[',
    '{',
    ']',
    '}',
    '"',
    '"":',
    '"a":',
    ':',
    ',',
    '1',
    '\\',
    ' ',
    '[['.repeat(40),
  );
  fc.assert(
    fc.property(fc.array(pieces, { maxLength: 400 }), fc.integer({ min: 1, max: 200 }), (text, times) => {
      const bytes = Buffer.from(text.join('').repeat(times));
      assert.ok(!isSurelyLight(bytes) || isLight(bytes));
    }),
  );
});

test('usual bodies are surely light, deep and long ones are not', () => {
  const nest = (depth: number): Buffer => Buffer.from('['.repeat(depth) + ']'.repeat(depth));
  assert.equal(isSurelyLight(nest(MAX_DEPTH)), true);
  assert.equal(isSurelyLight(nest(MAX_DEPTH + 1)), false);
  assert.equal(isSurelyLight(Buffer.from(`{"a":"${'x'.repeat(49_000)}"}`)), true);
  assert.equal(isSurelyLight(Buffer.from(`{"a":"${'x'.repeat(50_000)}"}`)), false);
});
