import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { encodeStorableJson } from './storable-json.ts';

const anyText = fc.string({
  unit: fc.integer({ min: 0, max: 0xffff }).map((code) => String.fromCharCode(code)),
});

test('whatever text goes in, what comes out holds neither NUL nor a lone surrogate', () => {
  fc.assert(
    fc.property(
      fc.dictionary(anyText, fc.oneof(anyText, fc.array(anyText), fc.integer(), fc.constant(null))),
      (value) => {
        const text = encodeStorableJson({ value });
        const printed = JSON.stringify(JSON.parse(text));
        assert.doesNotMatch(printed.replaceAll('\\\\', ''), /\\u0000|\\ud[89a-f]/);
      },
    ),
  );
});

test('clean values come through unchanged, also text that looks like an escape', () => {
  for (const value of [{ a: '\\u0000 \\ud800' }, { 'ключ 🦥': ['ö', 1.5, null, true, { b: '' }] }, []]) {
    assert.deepEqual(JSON.parse(encodeStorableJson(value)), value);
  }
});

test('only the characters that cannot be stored are replaced', () => {
  assert.equal(encodeStorableJson({ 'a\u0000': 'x\ud800y\u0000🦥' }), '{"a\uFFFD":"x\uFFFDy\uFFFD🦥"}');
});
