import assert from 'node:assert/strict';
import { test } from 'node:test';
import { attributeFailure } from './attribute-failure.ts';
import { createRedactor } from './redact.ts';

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

test('a text cut within a secret reveals less than six characters of it', () => {
  for (const secret of [KEY, HEADER]) {
    const text = `the key is ${secret}`;
    for (let length = 0; length <= text.length; length += 1) {
      const clean = redact(text.slice(0, length));
      assert.ok(!clean.includes('canary'), clean);
    }
  }
});

test('parts of a key, in any case, escaped or encoded, are hidden', () => {
  const key = 'sk-live+51Hf/9aQ=zzPq7Lm2';
  const clean = createRedactor([key]);
  const base64 = (prefix: string) => Buffer.from(prefix + key).toString('base64');
  const hex = Buffer.from(key).toString('hex');
  const quotes = [
    key.slice(0, 8),
    key.slice(-8),
    key.slice(5, 15),
    `${key.slice(0, 8)}…${key.slice(-8)}`,
    key.toUpperCase(),
    key.toLowerCase().slice(0, 12),
    encodeURIComponent(key),
    hex,
    hex.replaceAll(/../g, '%$&'),
    hex.replaceAll(/../g, '\\u00$&'),
    base64(''),
    base64('Bearer '),
    base64(':'),
    base64('').replaceAll('+', '-').replaceAll('/', '_'),
  ];
  for (const quote of quotes) {
    const text = clean(`the key "${quote}" is wrong`);
    assert.match(text, /^the key ".{0,12}\[hidden\].{0,4}" is wrong$|\[hidden\]…\[hidden\]/, quote);
  }
  assert.equal(
    clean('the key ends in 7Lm2, see https://example.com/live'),
    'the key ends in 7Lm2, see https://example.com/live',
  );
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
  assert.ok(!JSON.stringify(attributeFailure(failure, { id: 'acme', redact })).includes('canary'));
});
