import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { JsonObject } from '#base';
import type { Block, Dialect, Turn } from '#canonical';
import {
  createChatRequest,
  createMessagesTarget,
  encodeFor,
} from '../../../../test/support/messages-exchange.ts';

function arrange(turns: Turn[], dialect: Partial<Dialect> = {}): JsonObject[] {
  return encodeFor(createChatRequest({ turns }), createMessagesTarget(dialect))['messages'] as JsonObject[];
}

const text = (value: string): Block => ({ type: 'text', text: value });
const call = (id: string): Block => ({ type: 'tool-call', id, name: 'f', input: { json: '' } });
const result = (callId: string, ...blocks: Block[]): Block => ({
  type: 'tool-result',
  callId,
  blocks,
  isError: false,
});
const user = (...blocks: Block[]): Turn => ({ role: 'user', blocks });
const assistant = (...blocks: Block[]): Turn => ({ role: 'assistant', blocks });
const system = (...blocks: Block[]): Turn => ({ role: 'system', blocks });
const said = (value: string): JsonObject => ({ type: 'text', text: value });
const used = (id: string): JsonObject => ({ type: 'tool_use', id, name: 'f', input: {} });
const answered = (id: string, ...content: JsonObject[]): JsonObject => ({
  type: 'tool_result',
  tool_use_id: id,
  ...(content.length > 0 && { content }),
});

test('consecutive turns of one role become one message', () => {
  assert.deepEqual(
    arrange([user(text('a')), user(text('b')), assistant(text('c')), assistant(text('d')), user(text('e'))]),
    [
      { role: 'user', content: [said('a'), said('b')] },
      { role: 'assistant', content: [said('c'), said('d')] },
      { role: 'user', content: [said('e')] },
    ],
  );
});

test('[D-84] results of all calls come first in the next user turn, however they were sent', () => {
  const turns = [
    user(text('a')),
    assistant(call('1'), call('2')),
    user(result('2', text('two'))),
    user(text('meanwhile')),
    system(text('Now.')),
    user(result('1', text('one')), text('after')),
  ];
  assert.deepEqual(arrange(turns), [
    { role: 'user', content: [said('a')] },
    { role: 'assistant', content: [used('1'), used('2')] },
    { role: 'user', content: [answered('2', said('two')), answered('1', said('one')), said('meanwhile')] },
    { role: 'system', content: [said('Now.')] },
    { role: 'user', content: [said('after')] },
  ]);
});

test('[D-84] a call without a result gets an error result, also at the end', () => {
  const error = (id: string) => ({
    type: 'tool_result',
    tool_use_id: id,
    content: [said('the tool call was interrupted and gave no result')],
    is_error: true,
  });
  assert.deepEqual(arrange([user(text('a')), assistant(call('1')), assistant(text('b')), user(text('c'))]), [
    { role: 'user', content: [said('a')] },
    { role: 'assistant', content: [used('1'), said('b')] },
    { role: 'user', content: [error('1'), said('c')] },
  ]);
  assert.deepEqual(arrange([user(text('a')), assistant(call('1'))])[2], {
    role: 'user',
    content: [error('1')],
  });
});

test('[D-84] a result without its call becomes text', () => {
  assert.deepEqual(arrange([user(result('9', text('lost')), text('a'))]), [
    { role: 'user', content: [said('Result of the tool call 9:'), said('lost'), said('a')] },
  ]);
  assert.deepEqual(arrange([user(result('9', text('lost')))]), [
    { role: 'user', content: [said('Result of the tool call 9:'), said('lost')] },
  ]);
});

test('[D-27] two results of one call become one', () => {
  const [, , answer] = arrange([
    user(text('a')),
    assistant(call('1')),
    user(result('1', text('x')), result('1', text('y'))),
  ]);
  assert.deepEqual(answer, { role: 'user', content: [answered('1', said('x'), said('y'))] });
});

test('what the model says before, between and after its calls keeps its place', () => {
  const [, turn] = arrange([
    user(text('a')),
    assistant(text('b'), call('1'), text('c'), call('2'), text('d')),
    user(result('1'), result('2')),
  ]);
  assert.deepEqual(turn?.['content'], [said('b'), used('1'), said('c'), used('2'), said('d')]);
});

test('ids that repeat across turns are made distinct, each with its own result', () => {
  const round = [assistant(call('call_0')), user(result('call_0', text('x')))];
  const ids = arrange([user(text('a')), ...round, ...round]).flatMap((message) =>
    (message['content'] as JsonObject[]).map((block) => block['id'] ?? block['tool_use_id']),
  );
  assert.deepEqual(ids, [undefined, 'call_0', 'call_0', 'call_0_2', 'call_0_2']);
});

test('[D-19] ids outside the alphabet are replaced in calls and results alike', () => {
  const [, asked, answer] = arrange([
    user(text('a')),
    assistant(call('functions.f:0')),
    user(result('functions.f:0')),
  ]);
  const id = (asked?.['content'] as JsonObject[])[0]?.['id'];
  assert.ok(typeof id === 'string' && /^[a-zA-Z0-9_-]+$/.test(id));
  assert.deepEqual(answer, { role: 'user', content: [answered(id)] });
});

test('[D-31] an image in a tool result stays in it', () => {
  const image: Block = { type: 'media', kind: 'image', mediaType: 'image/png', source: { base64: 'A' } };
  const [, , answer] = arrange([user(text('a')), assistant(call('1')), user(result('1', image))]);
  assert.deepEqual(answer, {
    role: 'user',
    content: [
      answered('1', { type: 'image', source: { type: 'base64', media_type: 'image/png', data: 'A' } }),
    ],
  });
});

test('[D-28] [D-29] blank text is no block, and a turn of nothing is no message', () => {
  assert.deepEqual(
    arrange([user(text('a')), assistant(text(''), call('1')), user(result('1', text('')), text(' \n'))]),
    [
      { role: 'user', content: [said('a')] },
      { role: 'assistant', content: [used('1')] },
      { role: 'user', content: [answered('1')] },
    ],
  );
});

test('[D-74] the mark of a dropped text moves to the block before it', () => {
  const [first] = arrange([user(text('a'), { ...text(''), cache: {} })]);
  assert.deepEqual(first, {
    role: 'user',
    content: [{ ...said('a'), cache_control: { type: 'ephemeral' } }],
  });
});

test('[D-75] marks on calls and results are carried', () => {
  const messages = arrange([
    user(text('a')),
    assistant({ ...call('1'), cache: {} }),
    user({ ...result('1', text('x')), cache: { ttl: '1h' } }),
  ]);
  const [asked, answer] = messages.slice(1).map((message) => (message['content'] as JsonObject[])[0]);
  assert.deepEqual(asked?.['cache_control'], { type: 'ephemeral' });
  // One hour after five minutes is refused, so it is shortened.
  assert.deepEqual(answer?.['cache_control'], { type: 'ephemeral' });
});

test('a conversation begins with the user', () => {
  assert.deepEqual(arrange([assistant(text('a')), user(text('b'))])[0], {
    role: 'user',
    content: [said('…')],
  });
  assert.deepEqual(arrange([]), [{ role: 'user', content: [said('…')] }]);
});

test('a final assistant text loses its trailing white space, and is continued where prefill is refused', () => {
  const turns = [user(text('a')), assistant(text('Once \n'))];
  assert.deepEqual(arrange(turns).at(-1), { role: 'assistant', content: [said('Once')] });
  assert.deepEqual(arrange(turns, { prefill: false }).at(-1), { role: 'user', content: [said('Continue.')] });
});

test('[D-32] system turns stay in place, or become user messages', () => {
  const turns = [user(text('a')), assistant(text('b')), system(text('Now.')), user(text('c'))];
  assert.deepEqual(
    arrange(turns).map((message) => message['role']),
    ['user', 'assistant', 'system', 'user'],
  );
  assert.deepEqual(arrange(turns, { midSystem: 'as-user' })[2], {
    role: 'user',
    content: [said('Now.'), said('c')],
  });
});

test('[D-44] only thinking signed by Anthropic is returned to it, first and in order', () => {
  const [, answer] = arrange([
    user(text('a')),
    assistant(
      { type: 'reasoning', text: 'plain' },
      { type: 'reasoning', text: 'other', signature: 's', issuer: 'chat' },
      { type: 'reasoning', text: 'own', signature: 's', issuer: 'anthropic' },
      { type: 'reasoning', text: '', redacted: 'enc', issuer: 'anthropic' },
      text('b'),
    ),
    user(text('c')),
  ]);
  assert.deepEqual(answer?.['content'], [
    { type: 'thinking', thinking: 'own', signature: 's' },
    { type: 'redacted_thinking', data: 'enc' },
    said('b'),
  ]);
});

test('[D-46] thinking of merged turns is not joined: every block keeps its signature and position', () => {
  const own = (value: string, signature: string): Block => ({
    type: 'reasoning',
    text: value,
    signature,
    issuer: 'anthropic',
  });
  const [, answer] = arrange([
    user(text('a')),
    assistant(own('b', 'one'), own('c', 'two')),
    assistant(own('d', 'three'), call('1')),
    user(result('1', text('r'))),
  ]);
  assert.deepEqual(answer?.['content'], [
    { type: 'thinking', thinking: 'b', signature: 'one' },
    { type: 'thinking', thinking: 'c', signature: 'two' },
    { type: 'thinking', thinking: 'd', signature: 'three' },
    used('1'),
  ]);
});
