import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { JsonObject, JsonValue } from '#base';
import { createMessagesTarget, decodeMessages, encodeFor } from '../../../test/support/messages-exchange.ts';

test('marks that the gateway sets are in copies: behind instructions or tools, the conversation, and where it ended before', () => {
  const tool = (name: string, more: JsonObject = {}): JsonObject => ({ name, input_schema: {}, ...more });
  const members = {
    tools: [tool('read'), tool('find'), tool('late', { defer_loading: true })],
    messages: [
      { role: 'user', content: 'One.' },
      { role: 'assistant', content: [{ type: 'tool_use', id: 'toolu_1', name: 'read', input: {} }] },
      { role: 'user', content: [{ type: 'tool_result', tool_use_id: 'toolu_1', content: 'text' }] },
    ],
  };
  const request = decodeMessages(members);
  const before = structuredClone(request.origin.body);
  const place = (marks: 'instructions' | 'conversation', system?: JsonValue): string[] => {
    const decoded = system === undefined ? request : decodeMessages({ ...members, system });
    const body = encodeFor(decoded, { ...createMessagesTarget({}), marks });
    return [
      ...JSON.stringify(body).matchAll(
        /"([^"]*)"(?:,"input_schema":\{\}|,"content":"text")?,"cache_control"/g,
      ),
    ].map(([, name = '']) => name);
  };
  assert.deepEqual(place('instructions').toSorted(), ['find']);
  assert.deepEqual(place('conversation').toSorted(), ['One.', 'find', 'toolu_1']);
  assert.deepEqual(place('instructions', 'Be kind.'), ['Be kind.']);
  assert.deepEqual(place('conversation', [{ type: 'text', text: 'Rules.' }]).toSorted(), [
    'One.',
    'Rules.',
    'toolu_1',
  ]);
  assert.deepEqual(request.origin.body, before);
});

test('the mark of a single message is removed too, for an upstream that takes none', () => {
  const content = [{ type: 'text', text: 'Hi', cache_control: { type: 'ephemeral' } }];
  const request = decodeMessages({ messages: [{ role: 'user', content }] });
  const { messages } = encodeFor(request, createMessagesTarget({ cacheMarks: 'none' }));
  assert.deepEqual(messages, [{ role: 'user', content: [{ type: 'text', text: 'Hi' }] }]);
});
