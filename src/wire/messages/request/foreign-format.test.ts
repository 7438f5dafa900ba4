import assert from 'node:assert/strict';
import { test } from 'node:test';
import { catchRefusal } from '../../../../test/support/catch-refusal.ts';
import type { JsonObject } from '#base';
import type { GatewayError } from '#errors';
import { decodeMessages } from '../../../../test/support/messages-exchange.ts';

const reject = (members: JsonObject): GatewayError => catchRefusal(() => decodeMessages(members));

test('[I13] every place that shows the structure of Chat is named, with the right endpoint', () => {
  const error = reject({
    tools: [
      { name: 'fine', input_schema: {} },
      { type: 'function', function: { name: 'f', parameters: {} } },
    ],
    tool_choice: 'auto',
    system: [{ type: 'input_text', text: 'x' }],
    messages: [
      {
        role: 'user',
        content: [
          { type: 'text', text: 'x' },
          { type: 'image_url', image_url: { url: 'x' } },
        ],
      },
      { role: 'assistant', content: null, tool_calls: [] },
      {
        role: 'user',
        content: [{ type: 'tool_result', tool_use_id: 'a', content: [{ type: 'input_image' }] }],
      },
      { role: 'tool', tool_call_id: 'a', content: 'x' },
    ],
  });
  assert.equal(error.code, 'wrong_format');
  assert.equal(error.status, 400);
  for (const path of [
    'tools.1.function',
    'tool_choice',
    'system.0.type',
    'messages.0.content.1.type',
    'messages.1.content',
    'messages.2.content.0.content.0.type',
    'messages.3.role',
  ]) {
    assert.ok(error.message.includes(path), `${path} in ${error.message}`);
  }
  assert.ok(error.message.startsWith('tools.1.function'));
  assert.ok(error.message.includes('/v1/chat/completions'));
  assert.equal(error.facts.param, 'tools.1.function');
});

for (const type of [
  'image_url',
  'input_text',
  'input_image',
  'input_audio',
  'file',
  'output_text',
  'refusal',
]) {
  test(`[D-39] a part of type ${type} is refused loudly, never dropped`, () => {
    const error = reject({ messages: [{ role: 'user', content: [{ type }] }] });
    assert.equal(error.code, 'wrong_format');
    assert.ok(error.message.startsWith('messages.0.content.0.type'));
  });
}

for (const choice of [
  'auto',
  { type: 'function', function: { name: 'f' } },
  { type: 'function', name: 'f' },
]) {
  test(`a tool_choice ${JSON.stringify(choice)} is Chat's`, () => {
    assert.equal(reject({ tool_choice: choice }).code, 'wrong_format');
  });
}

test('the structure is judged before anything malformed', () => {
  assert.equal(reject({ max_tokens: 'x', messages: [{ role: 'user', content: null }] }).code, 'wrong_format');
});

test('a body with many faults gets a message of limited length', () => {
  const messages = new Array(100_000).fill({ role: 'user', content: null });
  const { message } = reject({ messages });
  assert.ok(message.length < 64_000);
  assert.match(message, /and 99000 more/);
});

test('a Chat body that passes for Messages by accident is served', () => {
  const request = decodeMessages({
    messages: [{ role: 'user', content: 'Hi', name: 'bob' }],
    response_format: { type: 'text' },
  });
  assert.equal(request.turns.length, 1);
});
