import assert from 'node:assert/strict';
import { test } from 'node:test';
import { createMessagesTarget, decodeMessages } from '../../../test/support/messages-exchange.ts';
import { openCountExchange } from './index.ts';

test('[D-50] counting sends system, tools and messages, and nothing it does not take', () => {
  const members = {
    system: 'Be kind.',
    tools: [{ name: 'x', input_schema: {} }],
    temperature: 1,
    stream: true,
    metadata: {},
  };
  const exchange = openCountExchange(decodeMessages(members), createMessagesTarget());
  assert.equal(exchange.path, '/messages/count_tokens');
  assert.deepEqual(exchange.body, {
    model: 'claude-x-20260101',
    messages: [{ role: 'user', content: 'Hi' }],
    system: 'Be kind.',
    tools: [{ name: 'x', input_schema: {} }],
  });
});

test('[D-51] a count of zero is no count', () => {
  const { decode } = openCountExchange(decodeMessages(), createMessagesTarget());
  for (const count of [1, 7]) assert.equal(decode({ input_tokens: count }), count);
  for (const input of [0, -1, 1.5, '7', null]) assert.equal(decode({ input_tokens: input }), undefined);
});
