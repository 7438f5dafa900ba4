import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { type SealBinding, createSealer } from './sealer.ts';
import { createAnyText } from '../../../test/support/any-text.ts';

const sealer = createSealer(Buffer.from('an installation secret of some length'));
const BINDING: SealBinding = { organizationId: 'org_1', id: 'pkey_1', address: 'https://api.example.com' };
const SECRET = 'sk-secret-of-an-organization';

test('property: any text is decrypted unchanged and is not contained in the stored form', () => {
  fc.assert(
    fc.property(createAnyText({ minLength: 8 }), fc.constantFrom('k1', 'Zz9', '00000000'), (text, keyId) => {
      const sealed = sealer.seal(text, BINDING, keyId);
      assert.match(sealed, /^v1\.[A-Za-z0-9]+\.[\w-]+$/);
      assert.ok(!Buffer.from(sealed.split('.')[2] ?? '', 'base64url').includes(Buffer.from(text)));
      assert.equal(sealer.open(sealed, BINDING), text);
    }),
  );
});

test('an encrypted text with any changed or missing bit cannot be decrypted', () => {
  const sealed = sealer.seal(SECRET, BINDING, 'k1');
  const bytes = Buffer.from(sealed.slice('v1.k1.'.length), 'base64url');
  for (let bit = 0; bit < bytes.length * 8; bit += 1) {
    const flipped = Buffer.from(bytes);
    flipped[bit >> 3] = (flipped[bit >> 3] ?? 0) ^ (1 << (bit & 7));
    assert.equal(sealer.open(`v1.k1.${flipped.toString('base64url')}`, BINDING), undefined, `bit ${bit}`);
  }
  for (let length = 0; length < bytes.length; length += 1)
    assert.equal(sealer.open(`v1.k1.${bytes.subarray(0, length).toString('base64url')}`, BINDING), undefined);
  const body = sealed.slice('v1.k1.'.length);
  for (const text of [
    '',
    'v1',
    'v1.k1',
    `v2.k1.${body}`,
    `v1.k2.${body}`,
    `v1..${body}`,
    `${sealed}.x`,
    `v1.k1.${body}AA`,
  ])
    assert.equal(sealer.open(text, BINDING), undefined, text);
});

test('it opens for its own row, organization, address and installation only', () => {
  const sealed = sealer.seal(SECRET, BINDING, 'k1');
  const others: SealBinding[] = [
    { ...BINDING, organizationId: 'org_2' },
    { ...BINDING, id: 'pkey_2' },
    { ...BINDING, address: 'https://api.example.com.evil.example' },
    { ...BINDING, organizationId: 'org_1","pkey_1', id: '' },
  ];
  for (const binding of others)
    assert.equal(sealer.open(sealed, binding), undefined, JSON.stringify(binding));
  const stranger = createSealer(Buffer.from('the secret of another installation'));
  assert.equal(stranger.open(sealed, BINDING), undefined);
  assert.equal(sealer.open(sealed, BINDING), SECRET);
});

test('encrypting the same text twice gives different results', () => {
  const sealed = Array.from({ length: 1_000 }, () => sealer.seal(SECRET, BINDING, 'k1'));
  const nonces = sealed.map((text) =>
    Buffer.from(text.slice(6), 'base64url').subarray(0, 12).toString('hex'),
  );
  assert.equal(new Set(nonces).size, sealed.length);
});
