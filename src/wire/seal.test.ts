import { test } from 'node:test';
import assert from 'node:assert/strict';
import { seal, unseal } from './seal.ts';

test("a secret of the client's own kind is not touched", () => {
  const secret = 'EqMBCkYIBxgCKkA==';
  assert.equal(seal({ secret, issuer: 'anthropic' }, 'anthropic'), secret);
  assert.deepEqual(unseal(secret, 'anthropic'), { secret, issuer: 'anthropic' });
});

test('a secret of another issuer is unsealed with its issuer, whatever its bytes', () => {
  for (const secret of ['', 'a.b.c', 'sluice.google.x', 'zeile\nzwei', '漢字']) {
    const sealed = seal({ secret, issuer: 'amazon-bedrock' }, 'anthropic');
    assert.deepEqual(unseal(sealed, 'anthropic'), { secret, issuer: 'amazon-bedrock' });
  }
});
