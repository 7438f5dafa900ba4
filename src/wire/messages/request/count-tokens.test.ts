import assert from 'node:assert/strict';
import { test } from 'node:test';
import { createMessagesTarget, decodeMessages } from '../../../../test/support/messages-exchange.ts';
import { getOutboundFormat } from '../../formats.ts';

function openCount(members?: Parameters<typeof decodeMessages>[0]) {
  const { openExchange, openCount: open } = getOutboundFormat('messages');
  const target = createMessagesTarget();
  return open?.(openExchange(decodeMessages(members), target), target) ?? assert.fail('it has a counter');
}

test('[D-50] counting sends system, tools and messages, and nothing it does not take', () => {
  const members = {
    system: 'Be kind.',
    tools: [{ name: 'x', input_schema: {} }],
    temperature: 1,
    stream: true,
    metadata: {},
  };
  const exchange = openCount(members);
  assert.equal(exchange.path, '/messages/count_tokens');
  assert.deepEqual(exchange.body, {
    model: 'claude-x-20260101',
    messages: [{ role: 'user', content: 'Hi' }],
    system: 'Be kind.',
    tools: [{ name: 'x', input_schema: {} }],
  });
});

test('[D-51] a count of zero is no count', () => {
  const { decode } = openCount();
  for (const count of [1, 7]) assert.equal(decode({ input_tokens: count }), count);
  for (const input of [0, -1, 1.5, '7', null]) assert.equal(decode({ input_tokens: input }), undefined);
});
