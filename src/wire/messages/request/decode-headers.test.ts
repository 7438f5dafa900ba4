import assert from 'node:assert/strict';
import { test } from 'node:test';
import { decodeMessages } from '../../../../test/support/messages-exchange.ts';

test('betas come from a comma list, a repeated header, or both', () => {
  const { betas } = decodeMessages(
    {},
    { 'anthropic-beta': ['a-2025-01-01, b-2025-01-01', 'c-2026-01-01', ' '] },
  );
  assert.deepEqual(betas, ['a-2025-01-01', 'b-2025-01-01', 'c-2026-01-01']);
});

test('both API versions, none, a later one and the first of several are accepted; nonsense is not', () => {
  for (const version of ['2023-06-01', '2026-10-21', '2031-01-01']) {
    assert.equal(decodeMessages({}, { 'anthropic-version': version }).version, version);
  }
  assert.equal(decodeMessages({}, { 'anthropic-version': '2023-06-01, 2024-01-01' }).version, '2023-06-01');
  assert.equal(decodeMessages({}, { 'anthropic-version': ['2023-06-01', 'a b'] }).version, '2023-06-01');
  assert.equal(decodeMessages().version, undefined);
  assert.throws(
    () => decodeMessages({}, { 'anthropic-version': 'a b\u0001' }),
    /^GatewayError: anthropic-version:/,
  );
});

test('the session of Claude Code is the first that its header names, if it is well-formed', () => {
  const read = (session: string | string[]) =>
    decodeMessages({}, { 'x-claude-code-session-id': session }).sessionId;
  assert.equal(read(' 5f6c '), '5f6c');
  assert.equal(read(['5f6c', '7a8b']), '5f6c');
  for (const session of ['', 'a b', 'x'.repeat(257)]) assert.equal(read(session), undefined);
  assert.equal(decodeMessages().sessionId, undefined);
});
