import assert from 'node:assert/strict';
import { test } from 'node:test';
import { toPerson } from './to-person.ts';

const ADA = { iss: 'https://issuer.example', sub: 'ada', email: 'ada@acme.example', email_verified: true };

test('an address counts only if the issuer has verified it, and its domain with it', () => {
  const { email, domain } = toPerson(ADA, 'groups');
  assert.deepEqual([email, domain], ['ada@acme.example', 'acme.example']);
  for (const verified of [false, undefined, 'true', 1]) {
    const person = toPerson({ ...ADA, email_verified: verified }, 'groups');
    assert.deepEqual([person.email, person.domain, person.name], [undefined, undefined, 'ada@acme.example']);
  }
});

test('at Google the domain is the one that manages the account, not that of an address somebody once had', () => {
  const google = { ...ADA, iss: 'https://accounts.google.com' };
  assert.equal(toPerson(google, 'groups').domain, undefined);
  assert.equal(toPerson({ ...google, hd: 'acme.example' }, 'groups').domain, 'acme.example');
});

test('groups are a list or one name, of the configured claim; whatever else it has is ignored', () => {
  const groupsOf = (value: unknown) => toPerson({ ...ADA, roles: value, groups: ['no'] }, 'roles').groups;
  assert.deepEqual(groupsOf(['a', 1, null, { b: 1 }, 'c']), ['a', 'c']);
  assert.deepEqual(groupsOf('one'), ['one']);
  assert.deepEqual(groupsOf(undefined), []);
  assert.deepEqual(groupsOf({ a: true }), []);
});

test('a name has no control characters and an end', () => {
  assert.equal(toPerson({ ...ADA, name: `A\u0000\u001b[31mda${'x'.repeat(500)}` }, 'g').name.length, 200);
  assert.doesNotMatch(toPerson({ ...ADA, name: 'A\u0000\u001b' }, 'g').name, /\p{Cc}/u);
});
