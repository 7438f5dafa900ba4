import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { Block, Turn } from '#canonical';
import { type TurnRules, arrangeTurns, fillEnds, joinMessages } from './arrange-turns.ts';

const text = (words: string): Block => ({ type: 'text', text: words });
const call = (id: string): Block => ({ type: 'tool-call', id, name: 'f', input: { json: '{}' } });
const result = (callId: string, words: string): Block => ({
  type: 'tool-result',
  callId,
  blocks: [text(words)],
  isError: false,
});
const assistant = (...blocks: Block[]): Turn => ({ role: 'assistant', blocks });
const user = (...blocks: Block[]): Turn => ({ role: 'user', blocks });
const system = (...blocks: Block[]): Turn => ({ role: 'system', blocks });

/** Turns in short: `user: b=2 a=1 | said`. */
function arrange(turns: Turn[], rules: TurnRules): string[] {
  return arrangeTurns(turns, rules).map(({ role, blocks, answers }) => {
    const answered = answers.map(({ call: { id }, results }) => `${id}=${results.map(toWords).join('+')}`);
    return `${role}: ${[...answered, ...(answers.length > 0 ? ['|'] : []), ...blocks.map(toWords)].join(' ')}`;
  });
}

function toWords(block: Block): string {
  if (block.type === 'text') return block.text;
  if (block.type === 'tool-call') return `${block.id}()`;
  if (block.type !== 'tool-result') return block.type;
  return block.isError ? 'missing' : block.blocks.map(toWords).join('');
}

const CONVERSATION = [
  assistant(call('a'), call('b'), call('c')),
  user(text('said')),
  system(text('rule')),
  user(result('b', '2'), result('a', '1'), result('a', '1')),
  assistant(text('next')),
  user(result('c', '3')),
];

test('results come right after their calls, in the order of the calls', () => {
  assert.deepEqual(arrange(CONVERSATION, { joins: 'all', system: 'user', results: 'by-call' }), [
    'assistant: a() b() c()',
    'user: a=1+1 b=2 c=missing | said rule',
    'assistant: next',
    'user: 3',
  ]);
});

test('results come right after their calls, as they were sent', () => {
  assert.deepEqual(arrange(CONVERSATION, { joins: 'all', system: 'own', results: 'as-sent' }), [
    'assistant: a() b() c()',
    'user: b=2 a=1+1 c=missing | said',
    'system: rule',
    'user: ',
    'assistant: next',
    'user: 3',
  ]);
});

test('results stay in the turn that holds them, even after another assistant turn', () => {
  const turns = [...CONVERSATION, assistant(call('d'))];
  assert.deepEqual(arrange(turns, { joins: 'none', system: 'own', results: 'in-place' }), [
    'assistant: a() b() c()',
    'user: ',
    'user: said',
    'system: rule',
    'user: b=2 a=1+1 |',
    'assistant: next',
    'user: c=3 |',
    'assistant: d()',
    'user: d=missing |',
  ]);
});

test('assistant turns after calls are joined until an id is used again', () => {
  const rules: TurnRules = { joins: 'after-calls', system: 'own', results: 'by-call' };
  const turns = [assistant(text('a')), assistant(call('a')), assistant(call('b')), assistant(call('a'))];
  assert.deepEqual(arrange(turns, rules), [
    'assistant: a',
    'assistant: a() b()',
    'user: a=missing b=missing |',
    'assistant: a()',
    'user: a=missing |',
  ]);
});

test('results of calls that share an id answer one after the other, and no result is given twice', () => {
  const rules: TurnRules = { joins: 'all', system: 'user', results: 'by-call' };
  const asked = assistant(call('a'), call('a'), call('a'));
  const answered = user(result('a', '1'), result('a', '2'));
  assert.deepEqual(arrange([asked, answered], rules)[1], 'user: a=1 a=2 a=missing |');
  const more = user(result('a', '1'), result('a', '2'), result('a', '3'), result('a', '4'));
  assert.deepEqual(arrange([asked, more], rules)[1], 'user: a=1 a=2 a=3+4 |');
});

test('a claimed id replaces that of the call, and results find it by the one they came with', () => {
  let count = 0;
  const rules: TurnRules = { joins: 'all', system: 'own', results: 'as-sent', claimId: () => `id${++count}` };
  const round = [assistant(call('same')), user(result('same', 'r'))];
  assert.deepEqual(arrange([...round, ...round], rules), [
    'assistant: id1()',
    'user: id1=r |',
    'assistant: id2()',
    'user: id2=r |',
  ]);
});

test('consecutive turns of the assistant are joined where the format asks for it, with what else they carry', () => {
  const [first, second] = [
    { ...assistant(call('a')), extra: { chat: { name: 'x', audio: 1 } } },
    { ...assistant(text('b')), extra: { chat: { audio: 2 } } },
  ];
  const joined = (joins: TurnRules['joins']) =>
    arrangeTurns([first, second, assistant(text('c'))], { joins, system: 'own', results: 'in-place' })
      .filter(({ role }) => role === 'assistant')
      .map(({ blocks, extra }) => [blocks.map(toWords).join(' '), extra?.chat]);
  assert.deepEqual(joined('none'), [
    ['a()', first.extra.chat],
    ['b', second.extra.chat],
    ['c', undefined],
  ]);
  assert.deepEqual(joined('all'), [['a() b c', second.extra.chat]]);
  assert.deepEqual(joined('after-calls'), [['a() b c', second.extra.chat]]);
  assert.deepEqual(
    arrange([assistant(text('a')), assistant(text('b'))], {
      joins: 'all',
      system: 'own',
      results: 'by-call',
    }),
    ['assistant: a b'],
  );
});

test('a result after the next turn of the assistant answers no earlier call, even a single one', () => {
  const turns = [assistant(call('a')), user(text('said')), assistant(text('next')), user(result('a', '1'))];
  assert.deepEqual(arrange(turns, { joins: 'all', system: 'own', results: 'by-call' }), [
    'assistant: a()',
    'user: a=missing | said',
    'assistant: next',
    'user: 1',
  ]);
});

test('turns of the request are not changed', () => {
  const turns = [user(text('a')), user(text('b')), assistant(call('1')), assistant(text('c'))];
  const before = structuredClone(turns);
  arrange(turns, { joins: 'all', system: 'user', results: 'by-call', claimId: (id) => `new ${id}` });
  assert.deepEqual(turns, before);
});

test('messages without content are left out, and those around them are joined', () => {
  const messages = joinMessages([
    { role: 'assistant', content: ['a'] },
    { role: 'user', content: [] },
    { role: 'assistant', content: ['b'] },
  ]);
  fillEnds(messages, { opening: 'first', closing: 'last' });
  assert.deepEqual(messages, [
    { role: 'user', content: ['first'] },
    { role: 'assistant', content: ['a', 'b'] },
    { role: 'user', content: ['last'] },
  ]);
});
