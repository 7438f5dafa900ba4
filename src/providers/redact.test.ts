import assert from 'node:assert/strict';
import { test } from 'node:test';
import { createRedactor, redactFailure } from './redact.ts';

const KEY = 'canary-7f31b0c9e5d24a6b8172';
const HEADER = 'canary-of-a-header';
const redact = createRedactor([KEY, HEADER, 'short']);

test('a secret is hidden wherever it is quoted, and nothing else', () => {
  assert.equal(
    redact(`${KEY}: wrong key ${KEY}, and ${HEADER}`),
    '[hidden]: wrong key [hidden], and [hidden]',
  );
  assert.equal(redact('the key ends with 8172'), 'the key ends with 8172');
  assert.equal(redact(''), '');
});

test('a text that was cut within a secret tells less than six characters of it', () => {
  for (const secret of [KEY, HEADER]) {
    const text = `the key is ${secret}`;
    for (let length = 0; length <= text.length; length += 1) {
      const clean = redact(text.slice(0, length));
      assert.ok(!clean.includes('canary'), clean);
    }
  }
});

test('every text of a failure is cleaned', () => {
  const part = `cut ${KEY.slice(0, 20)}`;
  const failure = {
    kind: 'broken' as const,
    message: part,
    detail: part,
    type: part,
    code: part,
    param: part,
  };
  assert.ok(!JSON.stringify(redactFailure(failure, { redact })).includes('canary'));
});
