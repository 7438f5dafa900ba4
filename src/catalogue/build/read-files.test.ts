import assert from 'node:assert/strict';
import { test } from 'node:test';
import { modelFileSchema, providerFileSchema } from '../schema/file-schema.ts';
import { describeFault } from './read-files.ts';

const PROVIDER = {
  id: 'acme',
  name: 'Acme',
  format: 'chat',
  baseUrl: 'https://acme.test/v1',
  env: ['ACME_KEY'],
};

test('an unknown field is named with the closest known one, or with all of them', () => {
  const describe = (more: object): string => describeFault(providerFileSchema, { ...PROVIDER, ...more });
  assert.equal(
    describe({ dialect: { midsystem: 'as-user' } }),
    'dialect.midsystem is not known; did you mean midSystem?',
  );
  assert.match(describe({ telepathy: true }), /^telepathy is not known; known are id, name, format, /);
});

test('all missing fields of an object are named at once', () => {
  assert.match(
    describeFault(modelFileSchema, { id: 'm', name: 'M' }),
    /^family, description(, \w+)* are required$/,
  );
});
