import assert from 'node:assert/strict';
import { test } from 'node:test';
import { nameOf, namesOf, toSubject } from './subject.ts';

const OWNER = { keyId: 'k', projectId: 'p', organizationId: 'o' };

test('a subject uses the money of its key and organization, and those of a member, a token and the allowance it has', () => {
  assert.deepEqual(namesOf(toSubject(OWNER)), ['key k', 'project p', 'organization o']);
  assert.deepEqual(namesOf(toSubject({ ...OWNER, memberId: 'm' })), [
    'key k',
    'project p',
    'organization o',
    'member m',
  ]);
  assert.deepEqual(namesOf(toSubject({ ...OWNER, sessionTokenId: 's' }, true)), [
    'key k',
    'project p',
    'organization o',
    'premium o',
    'session s',
  ]);
});

test('each meter counts one of them', () => {
  const subject = { ...OWNER, memberId: 'm', sessionTokenId: 's' };
  const kinds = [
    'key',
    'recurring',
    'member',
    'member_recurring',
    'session',
    'premium',
    'credits',
    'plan',
    'project',
    'project_recurring',
    'organization_recurring',
  ] as const;
  assert.deepEqual(
    kinds.map((kind) => nameOf(subject, kind)),
    [
      'key k',
      'key k',
      'member m',
      'member m',
      'session s',
      'premium o',
      'organization o',
      'organization o',
      'project p',
      'project p',
      'organization o',
    ],
  );
});
