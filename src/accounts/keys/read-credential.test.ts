import assert from 'node:assert/strict';
import { test } from 'node:test';
import { GatewayError } from '#errors';
import { readCredential } from './read-credential.ts';

const SECRET = 'slc_secret';

function codeOf(headers: Parameters<typeof readCredential>[0]): string {
  try {
    readCredential(headers);
  } catch (error) {
    assert.ok(error instanceof GatewayError);
    assert.equal(error.status, 401);
    assert.doesNotMatch(JSON.stringify([error.message, error.facts]), /secret|other/);
    return error.code;
  }
  return 'none';
}

test('a bearer credential, x-api-key and x-goog-api-key mean the same', () => {
  assert.equal(readCredential({ 'x-goog-api-key': SECRET }), SECRET);
  assert.equal(readCredential({ 'x-goog-api-key': [SECRET, SECRET], 'x-api-key': SECRET }), SECRET);
  assert.equal(readCredential({ authorization: `Bearer ${SECRET}` }), SECRET);
  assert.equal(readCredential({ 'x-api-key': SECRET }), SECRET);
  assert.equal(readCredential({ authorization: `Bearer ${SECRET}`, 'x-api-key': SECRET }), SECRET);
});

test('two different credentials are refused, whichever way they come', () => {
  assert.equal(
    codeOf({ authorization: `Bearer ${SECRET}`, 'x-api-key': 'slc_other' }),
    'conflicting_credentials',
  );
  assert.equal(codeOf({ 'x-api-key': [SECRET, 'slc_other'] }), 'conflicting_credentials');
  assert.equal(codeOf({ 'x-goog-api-key': [SECRET, 'slc_other'] }), 'conflicting_credentials');
  assert.equal(codeOf({ 'x-api-key': SECRET, 'x-goog-api-key': 'slc_other' }), 'conflicting_credentials');
});

test('a missing credential is distinguished from a wrong one', () => {
  assert.equal(codeOf({}), 'missing_credential');
  assert.equal(codeOf({ 'x-api-key': '' }), 'missing_credential');
  for (const header of ['Authorization', 'x-api-key', 'x-goog-api-key'])
    assert.throws(() => readCredential({}), new RegExp(`"${header}: `), `the message names ${header}`);
});

test('the scheme is one in any case, with one space behind it or more', () => {
  for (const scheme of ['bearer', 'BEARER', 'Bearer '])
    assert.equal(readCredential({ authorization: `${scheme} ${SECRET}`, 'x-api-key': SECRET }), SECRET);
});

test('only the scheme "Bearer" is accepted, and no error repeats the secret', () => {
  for (const header of ['Basic c2VjcmV0', 'Bearer', 'Bearer ', 'Bearer\t', `Bearer${SECRET}`, SECRET]) {
    assert.equal(codeOf({ authorization: header }), 'invalid_credential', header);
  }
});
