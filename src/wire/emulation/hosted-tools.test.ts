import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { JsonObject } from '#base';
import { getOutboundFormat } from '#wire';
import { createChatTarget } from '../../../test/support/chat-exchange.ts';
import { createMessagesTarget } from '../../../test/support/messages-exchange.ts';
import { decodeResponses } from '../../../test/support/responses-exchange.ts';

const FUNCTIONS = ['read', 'write'].map((name) => ({
  type: 'function',
  name,
  parameters: { type: 'object' },
}));
const TARGETS = [
  ['chat', createChatTarget()],
  ['messages', createMessagesTarget()],
] as const;

const bodiesOf = (fields: JsonObject): JsonObject[] =>
  TARGETS.map(
    ([format, target]) => getOutboundFormat(format).openExchange(decodeResponses(fields), target).body,
  );

const namesOf = ({ tools }: JsonObject): unknown[] =>
  (tools as JsonObject[]).map((tool) => tool['name'] ?? (tool['function'] as JsonObject)['name']);

test('searches that agents offer by default are left out for upstreams without them', () => {
  const tools = [{ type: 'web_search' }, { type: 'tool_search', execution: 'server' }, ...FUNCTIONS];
  for (const body of bodiesOf({ tools })) assert.deepEqual(namesOf(body), ['read', 'write']);
});

test('a tool an answer depends on is refused by name', () => {
  for (const type of ['local_shell', 'file_search', 'mcp', 'code_interpreter', 'image_generation']) {
    assert.throws(() => bodiesOf({ tools: [{ type }] }), {
      code: 'unsupported_feature',
      message: new RegExp(type),
      facts: { param: 'tools' },
    });
  }
});

test('history that only a Responses upstream supports is refused, not dropped', () => {
  const said = { role: 'user', content: 'Go on.' };
  const search = { type: 'web_search_call', id: 'ws_1', status: 'completed' };
  assert.equal(bodiesOf({ input: [said, search, said] }).length, 2);
  const compaction = { type: 'compaction', encrypted_content: 'x' };
  assert.throws(() => bodiesOf({ input: [compaction, said] }), {
    code: 'unsupported_feature',
    message: /compaction/,
  });
});

test('allowed_tools become the only tools that are offered', () => {
  const allowed = (mode: string) => ({
    type: 'allowed_tools',
    mode,
    tools: [{ type: 'function', name: 'write' }],
  });
  const [chat, messages] = bodiesOf({ tools: FUNCTIONS, tool_choice: allowed('required') });
  assert.deepEqual(namesOf(chat ?? {}), ['write']);
  assert.equal(chat?.['tool_choice'], 'required');
  assert.deepEqual(namesOf(messages ?? {}), ['write']);
  assert.deepEqual(messages?.['tool_choice'], { type: 'any' });
  for (const body of bodiesOf({ tools: FUNCTIONS, tool_choice: allowed('auto') })) {
    assert.match(JSON.stringify(body['tool_choice']), /auto/);
  }
});
