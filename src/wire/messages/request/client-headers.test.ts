import assert from 'node:assert/strict';
import { test } from 'node:test';
import { createMessagesTarget, decodeMessages } from '../../../../test/support/messages-exchange.ts';
import { messagesOutbound } from '../index.ts';

test('headers of Claude Code go on to providers of its format, those that are not known here too', () => {
  const headers = {
    'x-claude-code-session-id': '5f6c',
    'x-claude-code-agent-type': 'Explore: files',
    'x-claude-code-bad': 'a\u0000b',
    'x-claude-code-long': 'x'.repeat(1_025),
    'x-claudette': 'no',
    authorization: 'Bearer secret',
  };
  const sent = messagesOutbound.openExchange(decodeMessages({}, headers), createMessagesTarget({})).headers;
  assert.deepEqual(sent, {
    'anthropic-version': '2023-06-01',
    'x-claude-code-session-id': '5f6c',
    'x-claude-code-agent-type': 'Explore: files',
  });
  const many = Object.fromEntries(Array.from({ length: 90 }, (_, n) => [`x-claude-code-${n}`, 'v']));
  const some = messagesOutbound.openExchange(decodeMessages({}, many), createMessagesTarget({})).headers;
  assert.equal(Object.keys(some).length, 17);
});
