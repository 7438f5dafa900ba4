import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { Block, Dialect, Turn } from '#canonical';
import { createForeignRequest, encodeChat } from '../../../test/support/chat-exchange.ts';

const say = (text: string): Block => ({ type: 'text', text });
const call = (id: string): Block => ({ type: 'tool-call', id, name: 'f', input: { value: {} } });
const answer = (callId: string): Block => ({
  type: 'tool-result',
  callId,
  blocks: [say(`result of ${callId}`)],
  isError: false,
});

function tell(turns: Turn[]): unknown[] {
  const { messages } = encodeChat(createForeignRequest({ turns }));
  assert.ok(Array.isArray(messages));
  return messages.map((message) => {
    const { role, content, tool_calls: calls } = message as Record<string, unknown>;
    return [role, content, ...(Array.isArray(calls) ? calls.map(({ id }: { id: string }) => id) : [])];
  });
}

test('[D-84] results that come behind several assistant turns in a row answer the calls of all of them', () => {
  const turns: Turn[] = [
    { role: 'user', blocks: [say('q')] },
    { role: 'assistant', blocks: [call('a')] },
    { role: 'assistant', blocks: [say('and'), call('b')] },
    { role: 'user', blocks: [answer('a'), answer('b')] },
  ];
  assert.deepEqual(tell(turns), [
    ['user', 'q'],
    ['assistant', 'and', 'a', 'b'],
    ['tool', 'result of a'],
    ['tool', 'result of b'],
  ]);
});

test('assistant turns without calls stay apart', () => {
  const turns: Turn[] = [
    { role: 'assistant', blocks: [say('one')] },
    { role: 'assistant', blocks: [say('two')] },
  ];
  assert.deepEqual(tell(turns), [
    ['assistant', 'one'],
    ['assistant', 'two'],
  ]);
});

test('the mark of an assistant’s block that has no part is on the text before it, that of a call where calls carry it', () => {
  const cache = {};
  const mark = { cache_control: { type: 'ephemeral' } };
  const marksOf = (block: Block, cacheMarks: Dialect['cacheMarks']) => {
    const turns: Turn[] = [
      { role: 'user', blocks: [say('q')] },
      { role: 'assistant', blocks: [say('a'), { ...block, cache }] },
      { role: 'user', blocks: [say('r')] },
    ];
    const { messages } = encodeChat(createForeignRequest({ turns }), { cacheMarks });
    return (messages as { content: unknown }[])[1]?.content;
  };
  const marked = [{ type: 'text', text: 'a', ...mark }];
  const thought: Block = { type: 'reasoning', text: 'Hm.' };
  assert.deepEqual(marksOf(thought, 'cache_control'), marked);
  assert.deepEqual(marksOf(call('c'), 'cache_control'), 'a');
  assert.deepEqual(marksOf(thought, 'none'), 'a');
});
