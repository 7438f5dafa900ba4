import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { SHORT_PARTS, proveCopied } from '../../test/support/short-parts.ts';
import { ByteParts } from './byte-parts.ts';

test('parts of any length are the bytes that were added', () => {
  const length = fc.oneof(fc.nat(10), fc.nat(5_000), fc.constantFrom(2_047, 2_048, 16_384, 40_000));
  const parts = new ByteParts();
  fc.assert(
    fc.property(fc.array(length, { maxLength: 60 }), (lengths) => {
      const added = lengths.map((each, at) => Buffer.alloc(each, at + 1));
      for (const part of added) parts.add(part);
      const whole = Buffer.concat(added);
      assert.equal(parts.length, whole.length);
      assert.deepEqual(parts.take(), whole);
      assert.equal(parts.length, 0);
    }),
  );
});

test('a single part is not copied', () => {
  const parts = new ByteParts();
  const part = Buffer.from('x');
  parts.add(part);
  assert.equal(parts.take(), part);
});

test('short parts are not kept by themselves', async () => {
  const parts = new ByteParts();
  await proveCopied((part) => parts.add(part));
  assert.deepEqual(parts.take(), SHORT_PARTS);
});
