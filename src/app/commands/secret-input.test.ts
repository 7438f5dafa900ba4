import assert from 'node:assert/strict';
import { Readable } from 'node:stream';
import { test } from 'node:test';
import { readSecretInput } from './secret-input.ts';

const environment = { SLUICE_PROVIDER_KEY: 'from-default', ACME_KEY: 'from-acme', EMPTY: '' };
const read = (source: Parameters<typeof readSecretInput>[0], text = '') =>
  readSecretInput(source, { stdin: Readable.from([Buffer.from(text)]), environment });

test('a secret is read from standard input, the named variable or the default one', async () => {
  assert.equal(await read({ keyStdin: true }, 'from-stdin\n'), 'from-stdin');
  assert.equal(await read({ keyStdin: true, keyEnv: 'ACME_KEY' }, 'from-stdin'), 'from-stdin');
  assert.equal(await read({ keyEnv: 'ACME_KEY' }), 'from-acme');
  assert.equal(await read({}), 'from-default');
  assert.equal(await readSecretInput({}, { environment: {} }), undefined);
});

test('a variable that is not set, and a standard input without end, are refused', async () => {
  await assert.rejects(read({ keyEnv: 'MISSING' }), /the variable MISSING is not set/);
  await assert.rejects(read({ keyEnv: 'EMPTY' }), /the variable EMPTY is not set/);
  await assert.rejects(read({ keyStdin: true }, 'x'.repeat(70_000)), /too long/);
});
