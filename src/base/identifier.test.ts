import assert from 'node:assert/strict';
import { test } from 'node:test';
import { createIdentifier, createRandomText } from './identifier.ts';

test('identifiers name their kind and do not repeat', () => {
  const identifiers = new Set(Array.from({ length: 20_000 }, () => createIdentifier('req')));
  assert.equal(identifiers.size, 20_000);
  for (const id of [...identifiers].slice(0, 100)) assert.match(id, /^req_[0-9A-Za-z]{22}$/);
});

test('every character of the alphabet is equally likely', () => {
  const counts = new Map<string, number>();
  for (const character of createRandomText(62_000)) counts.set(character, (counts.get(character) ?? 0) + 1);
  assert.equal(counts.size, 62);
  for (const count of counts.values()) assert.ok(count > 800 && count < 1200, String(count));
});

test('given bytes give the same text, and bytes past the last whole alphabet are skipped', () => {
  const fixed = (bytes: Uint8Array) => {
    bytes.set(Array.from(bytes, (_, at) => (at === 0 ? 255 : at)));
  };
  assert.equal(createRandomText(3, fixed), '123');
});
