import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { JsonValue } from '#base';
import { type Dialect, MESSAGES_DIALECT } from '#canonical';
import { PICTURE_NOTE, PICTURE_PLACE } from '../shown-images.ts';
import { MessageForwarder } from './forward-messages.ts';

/** The forwarded content of an assistant message. */
function forwardContent(content: JsonValue[], dialect: Partial<Dialect> = {}): JsonValue | undefined {
  const forwarder = new MessageForwarder({ ...MESSAGES_DIALECT, ...dialect });
  const [message] = forwarder.forwardMessages([{ role: 'assistant', content }]);
  return (message as { content: JsonValue } | undefined)?.content;
}

test('[D-46] several thinking blocks of one turn stay apart, in order, each with its own signature', () => {
  const content = [
    { type: 'thinking', thinking: 'a', signature: 'one' },
    { type: 'redacted_thinking', data: 'enc' },
    { type: 'thinking', thinking: 'b', signature: 'two' },
    { type: 'tool_use', id: 'toolu_1', name: 'f', input: {} },
    { type: 'thinking', thinking: 'c', signature: 'three' },
    { type: 'tool_use', id: 'toolu_2', name: 'f', input: {} },
  ];
  assert.deepEqual(forwardContent(content), content);
});

test('[D-48] a block type nobody here knows stays where it stood, also between thinking', () => {
  const fallback = { type: 'fallback', from: 'claude-x', to: 'claude-y' };
  const content = [
    { type: 'thinking', thinking: 'a', signature: 'one' },
    fallback,
    { type: 'thinking', thinking: 'b', signature: 'two' },
    { type: 'text', text: 'so' },
  ];
  assert.deepEqual(forwardContent(content), content);
});

test('[D-55] a call of a server tool and its result go together, or neither goes', () => {
  const advised = [
    { type: 'server_tool_use', id: 'srvtoolu_1', name: 'advisor', input: {} },
    { type: 'advisor_tool_result', tool_use_id: 'srvtoolu_1', content: [] },
  ];
  const searched = [
    { type: 'server_tool_use', id: 'srvtoolu_2', name: 'tool_search_tool_regex', input: {} },
    { type: 'tool_search_tool_result', tool_use_id: 'srvtoolu_2', content: [] },
  ];
  const said = { type: 'text', text: 'so' };
  assert.deepEqual(forwardContent([...advised, ...searched, said]), [...advised, ...searched, said]);
  assert.deepEqual(forwardContent([...advised, ...searched, said], { toolSearch: false }), [
    ...advised,
    said,
  ]);
});

test('a picture another model has drawn goes back as the user’s, behind the results of tools', () => {
  const image = { type: 'image', source: { type: 'base64', media_type: 'image/png', data: 'AAAA' } };
  const result = { type: 'tool_result', tool_use_id: 'toolu_1', content: 'ok' };
  const call = { type: 'tool_use', id: 'toolu_1', name: 'weather', input: {} };
  const messages = [
    { role: 'user', content: 'Draw.' },
    { role: 'assistant', content: [image, call] },
    { role: 'user', content: [result, { type: 'text', text: 'Go on.' }] },
  ];
  const forwarded = new MessageForwarder(MESSAGES_DIALECT).forwardMessages(messages);
  assert.deepEqual(forwarded.slice(1), [
    { role: 'assistant', content: [{ type: 'text', text: PICTURE_PLACE }, call] },
    {
      role: 'user',
      content: [result, { type: 'text', text: PICTURE_NOTE }, image, { type: 'text', text: 'Go on.' }],
    },
  ]);
});
