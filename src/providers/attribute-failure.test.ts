import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { FailureKind } from '#errors';
import { attributeFailure } from './attribute-failure.ts';

const redact = (text: string): string => text.replaceAll('secret', '[hidden]');
const messageOf = (kind: FailureKind, message: string, credentialId?: string): string =>
  attributeFailure({ kind, message }, { id: 'acme', redact, credentialId }).message;

test('a failure names its provider, in the words of the gateway and in those of the provider', () => {
  assert.equal(
    messageOf('unreachable', 'the provider could not be reached'),
    'the provider acme could not be reached',
  );
  assert.equal(
    messageOf('garbled', 'the provider’s answer is too large'),
    'the provider acme’s answer is too large',
  );
  assert.equal(messageOf('overloaded', 'Overloaded'), 'the provider acme answered: Overloaded');
  assert.equal(messageOf('broken', 'the providers rest'), 'the provider acme answered: the providers rest');
});

test('the refusal of a request stays as the provider words it, because clients read it', () => {
  assert.equal(messageOf('request-refused', 'prompt is too long: 9 tokens'), 'prompt is too long: 9 tokens');
  assert.equal(messageOf('content-refused', 'not this secret'), 'not this [hidden]');
});

test('the error names an organization’s own key and account', () => {
  assert.equal(
    messageOf('credential-refused', 'the provider refused the credential of this gateway', 'own_1'),
    'the provider acme refused the organization’s own key',
  );
  assert.equal(
    messageOf('out-of-quota', 'no secret money', 'own_1'),
    'the organization’s account at the provider acme is out of quota',
  );
});
