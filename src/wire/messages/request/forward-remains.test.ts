import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { JsonObject } from '#base';
import type { Dialect } from '#canonical';
import {
  createMessagesTarget,
  decodeMessages,
  encodeFor,
} from '../../../../test/support/messages-exchange.ts';

function forward(members: JsonObject, dialect: Partial<Dialect> = {}): JsonObject {
  return encodeFor(decodeMessages(members), createMessagesTarget(dialect));
}

test('the mark of the whole request goes to upstreams that take marks, and to no other', () => {
  const members = { cache_control: { type: 'ephemeral' } };
  assert.equal(forward(members)['cache_control'], members.cache_control);
  assert.equal('cache_control' in forward(members, { cacheMarks: 'none' }), false);
});

test('a conversation of which nothing would be left is sent as it is', () => {
  const messages = [
    { role: 'assistant', content: [{ type: 'thinking', thinking: 'a', signature: 'sluice.chat.sig' }] },
  ];
  assert.equal(forward({ messages })['messages'], messages);
});

test('where no tool is left, neither tools nor their choice are sent', () => {
  const search = { type: 'tool_search_tool_regex_20251119', name: 's' };
  const members = { tools: [search], tool_choice: { type: 'auto' } };
  const sent = forward(members, { toolSearch: false });
  assert.deepEqual(['tools' in sent, 'tool_choice' in sent], [false, false]);
  assert.deepEqual(forward({ tools: [] }, { toolSearch: false })['tools'], []);
});

test('[D-41] a tool turn that begins with thinking is continued with its budget, whatever earlier ones lost', () => {
  const thinking = { type: 'enabled', budget_tokens: 2000 };
  const round = (id: string, thought: JsonObject) => [
    { role: 'assistant', content: [thought, { type: 'tool_use', id, name: 'f', input: {} }] },
    { role: 'user', content: [{ type: 'tool_result', tool_use_id: id }] },
  ];
  const unsigned = { type: 'thinking', thinking: 'x' };
  for (const thought of [
    { ...unsigned, signature: 's' },
    { type: 'redacted_thinking', data: 'enc' },
  ]) {
    const messages = [{ role: 'user', content: 'Hi' }, ...round('a', unsigned), ...round('b', thought)];
    assert.equal(forward({ thinking, messages })['thinking'], thinking);
  }
});

test('an option that is null is not sent', () => {
  const options = ['system', 'tools', 'temperature', 'stop_sequences', 'thinking', 'metadata', 'speed'];
  const given = Object.fromEntries(options.map((name) => [name, null]));
  assert.deepEqual(forward(given), forward({}));
});

test('an output limit that the gateway lowers replaces the caller’s', () => {
  const limited = { ...decodeMessages({ max_tokens: 100 }), maxOutputTokens: 5 };
  assert.equal(encodeFor(limited)['max_tokens'], 5);
});
