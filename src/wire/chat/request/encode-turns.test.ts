import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { JsonObject } from '#base';
import type { Block, Dialect, Turn } from '#canonical';
import { encodeChat } from '../../../../test/support/chat-exchange.ts';
import { createForeignRequest } from '../../../../test/support/foreign-request.ts';

const say = (text: string): Block => ({ type: 'text', text });
const call = (id: string): Block => ({ type: 'tool-call', id, name: 'f', input: { value: {} } });
const answer = (callId: string): Block => ({
  type: 'tool-result',
  callId,
  blocks: [say(`result of ${callId}`)],
  isError: false,
});

function encodeAll(turns: Turn[]): unknown[][] {
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
  assert.deepEqual(encodeAll(turns), [
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
  assert.deepEqual(encodeAll(turns), [
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

const image = (base64: string): Block => ({
  type: 'media',
  kind: 'image',
  mediaType: 'image/png',
  source: { base64 },
});
const shown = (base64: string) => ({
  type: 'image_url',
  image_url: { url: `data:image/png;base64,${base64}` },
});
const pictured = (callId: string, base64: string): Block => ({
  type: 'tool-result',
  callId,
  blocks: [image(base64)],
  isError: false,
});

test('an image in a result goes to the next user message, or to one of its own before any other role', () => {
  const round = (id: string, base64: string, ...more: Block[]): Turn[] => [
    { role: 'assistant', blocks: [call(id)] },
    { role: 'user', blocks: [pictured(id, base64), ...more] },
  ];
  const said = encodeAll([
    ...round('a', 'AAAA', say('Look.')),
    { role: 'user', blocks: [say('Now.')] },
    ...round('b', 'BBBB'),
    { role: 'assistant', blocks: [say('I see.')] },
    { role: 'user', blocks: [say('And?')] },
    ...round('c', 'CCCC'),
  ]).filter(([role, content]) => role === 'user' || content === 'I see.');
  const of = (id: string) => ({ type: 'text', text: `The image of tool result ${id}:` });
  assert.deepEqual(said, [
    ['user', [of('a'), shown('AAAA'), { type: 'text', text: 'Look.' }]],
    ['user', 'Now.'],
    ['user', [of('b'), shown('BBBB')]],
    ['assistant', 'I see.'],
    ['user', 'And?'],
    ['user', [of('c'), shown('CCCC')]],
  ]);
});

test('a document in a result is its text, and its images go to the next user message', () => {
  const blocks = [say('page'), image('AAAA')];
  const document: Block = { type: 'media', kind: 'document', title: 'Report', source: { blocks } };
  const said = encodeAll([
    { role: 'assistant', blocks: [call('a')] },
    { role: 'user', blocks: [{ type: 'tool-result', callId: 'a', blocks: [document], isError: false }] },
  ]);
  assert.deepEqual(said.slice(1), [
    ['tool', 'Report\npage\n[image: attached to the next user message]'],
    ['user', [{ type: 'text', text: 'The image of tool result a:' }, shown('AAAA')]],
  ]);
});

test('names, audio and the details of other upstreams stay with their messages', () => {
  const details = [{ type: 'reasoning.text', text: 'theirs' }];
  const send = (role: 'user' | 'assistant', kept: JsonObject, dialect: Partial<Dialect> = {}) => {
    const turns: Turn[] = [
      { role, blocks: [say('Hi')], extra: { chat: kept } },
      { role: 'user', blocks: [say('Go on.')] },
    ];
    const { messages } = encodeChat(createForeignRequest({ turns }), dialect);
    return Array.isArray(messages) && messages[0];
  };
  assert.deepEqual(send('user', { name: 'Ada' }), { role: 'user', content: 'Hi', name: 'Ada' });
  assert.deepEqual(send('user', { name: 5 }), { role: 'user', content: 'Hi' });
  const said = { role: 'assistant', content: 'Hi' };
  assert.deepEqual(send('assistant', { name: 'Bot', audio: { id: 'a' } }), {
    ...said,
    name: 'Bot',
    audio: { id: 'a' },
  });
  const replay = (reasoningReplay: Dialect['reasoningReplay']) =>
    send('assistant', { reasoning_details: details }, { reasoningReplay });
  assert.deepEqual(replay('none'), said);
  assert.deepEqual(replay('reasoning'), { ...said, reasoning_details: details });
  assert.deepEqual(send('assistant', { reasoning_details: [] }, { reasoningReplay: 'reasoning' }), said);
  assert.deepEqual(send('assistant', {}, { reasoningReplay: 'reasoning_content' }), said);
});

test('a message without anything Chat can show is left out', () => {
  const turns: Turn[] = [
    { role: 'user', blocks: [{ type: 'native', format: 'messages', value: { type: 'container_upload' } }] },
    { role: 'user', blocks: [say('Hi')] },
  ];
  assert.deepEqual(encodeAll(turns), [['user', 'Hi']]);
});
