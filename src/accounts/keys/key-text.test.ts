import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { createKeyText, findKeyKind, isWellFormedKey, maskKey, publicIdOf } from './key-text.ts';
import { createAnyText } from '../../../test/support/any-text.ts';

const seeded = (seed: Uint8Array) => (bytes: Uint8Array) =>
  bytes.forEach((_, index) => (bytes[index] = seed[index % seed.length]!));

test('a new key is URL-safe, of its kind, and carries at least 190 random bits', () => {
  const key = createKeyText('regular');
  assert.match(key, /^slc_[0-9A-Za-z]{55}$/);
  const secretLength = key.length - 'slc_'.length - publicIdOf('regular', key).length - 6;
  const shownLength = maskKey('regular', key).length - 'slc_…'.length;
  assert.ok((secretLength - shownLength) * Math.log2(62) >= 190, 'what a list shows of it leaves 190 bits');
  assert.ok(isWellFormedKey('regular', key));
  assert.notEqual(createKeyText('regular'), key);
});

test('kinds of keys are distinguished by prefix, and a key of one kind is malformed as another', () => {
  assert.equal(findKeyKind(createKeyText('regular')), 'regular');
  assert.equal(findKeyKind(createKeyText('admin')), 'admin');
  assert.equal(findKeyKind('slcses_x'), 'session');
  assert.equal(findKeyKind('sk-ant-x'), undefined);
  assert.ok(!isWellFormedKey('regular', createKeyText('admin')));
});

test('any one changed character is caught by the checksum', () => {
  fc.assert(
    fc.property(
      fc.uint8Array({ minLength: 64, maxLength: 64, max: 247 }),
      fc.integer({ min: 4, max: 58 }),
      fc.constantFrom(...Array.from('0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz')),
      (seed, at, character) => {
        const key = createKeyText('regular', seeded(seed));
        const changed = key.slice(0, at) + character + key.slice(at + 1);
        assert.equal(isWellFormedKey('regular', changed), changed === key);
      },
    ),
  );
});

test('garbage is never well formed', () => {
  fc.assert(
    fc.property(createAnyText({ maxLength: 80 }), (text) => !isWellFormedKey('regular', `slc_${text}`)),
  );
});

test('a mask shows the kind and the last four characters only', () => {
  const key = createKeyText('regular');
  assert.equal(maskKey('regular', key), `slc_…${key.slice(-4)}`);
  assert.equal(publicIdOf('regular', key), key.slice(4, 16));
});
