import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { JsonObject, JsonValue } from '#base';
import {
  collectPayloads,
  decodeChat,
  decodePayloads,
  openChat,
  toChunk,
  toLastChunk,
  callsOf,
  toolChunk,
} from '../../../../test/support/chat-exchange.ts';

const CALLS = toLastChunk('tool_calls');

test('[D-13] parallel calls stay apart', () => {
  const calls = callsOf([
    toolChunk({ index: 0, id: 'a', type: 'function', function: { name: 'one', arguments: '{"x":' } }),
    toolChunk({ index: 0, function: { arguments: '1}' } }),
    toolChunk({ index: 1, id: 'b', type: 'function', function: { name: 'two', arguments: '' } }),
    toolChunk({ index: 1, function: { arguments: '{"y":2}' } }),
    CALLS,
  ]);
  assert.deepEqual(calls, [
    { id: 'a', name: 'one', json: '{"x":1}' },
    { id: 'b', name: 'two', json: '{"y":2}' },
  ]);
});

test('[D-13] interleaved fragments reach their own call, and the later block waits for the earlier', () => {
  const payloads = [
    toolChunk({ index: 0, id: 'a', function: { name: 'one', arguments: '' } }),
    toolChunk({ index: 1, id: 'b', function: { name: 'two', arguments: '{"y"' } }),
    toolChunk({ index: 0, function: { arguments: '{"x":"}' } }),
    toolChunk({ index: 1, function: { arguments: ':2}' } }),
    toolChunk({ index: 0, function: { arguments: '"}' } }),
    CALLS,
  ];
  assert.deepEqual(
    callsOf(payloads).map(({ json }) => json),
    ['{"x":"}"}', '{"y":2}'],
  );
  const kinds = decodePayloads(payloads).map((event) => event.type);
  assert.equal(kinds.indexOf('block-start'), 1);
  assert.ok(kinds.indexOf('block-end') < kinds.lastIndexOf('block-start'));
});

test('a second call streams as soon as the arguments of the first are complete', () => {
  const decoder = openChat(decodeChat({})).createStreamDecoder();
  const push = (chunk: JsonObject): string[] =>
    decoder.push({ data: JSON.stringify(chunk) }).map((event) => event.type);
  push(toolChunk({ index: 0, id: 'a', function: { name: 'one', arguments: '{}' } }));
  assert.deepEqual(push(toolChunk({ index: 1, id: 'b', function: { name: 'two', arguments: '{"a' } })), [
    'block-end',
    'block-start',
    'block-delta',
  ]);
  assert.deepEqual(push(toolChunk({ index: 1, function: { arguments: '":1}' } })), ['block-delta']);
});

test('[D-14] an index is a key, not a position: it may start at 1 and skip numbers', () => {
  const calls = callsOf([
    toolChunk({ index: 1, id: 'a', function: { name: 'one', arguments: '{}' } }),
    toolChunk({ index: 7, id: 'b', function: { name: 'two', arguments: '{}' } }),
    CALLS,
  ]);
  assert.deepEqual(
    calls.map(({ name }) => name),
    ['one', 'two'],
  );
});

test('[D-13] several calls with different ids at one index stay separate', () => {
  const calls = callsOf([
    toolChunk({ index: 0, id: 'a', function: { name: 'one', arguments: '{}' } }),
    toolChunk({ index: 0, id: 'b', function: { name: 'one', arguments: '{"z":1}' } }),
    CALLS,
  ]);
  assert.deepEqual(
    calls.map(({ id, json }) => [id, json]),
    [
      ['a', '{}'],
      ['b', '{"z":1}'],
    ],
  );
});

test('[D-15] without an index the id decides, then the position', () => {
  const byId = callsOf([
    toolChunk({ id: 'a', function: { name: 'one', arguments: '{"x"' } }),
    toolChunk({ id: 'b', function: { name: 'two', arguments: '{}' } }),
    toolChunk({ id: 'a', function: { arguments: ':1}' } }),
    CALLS,
  ]);
  assert.deepEqual(
    byId.map(({ json }) => json),
    ['{"x":1}', '{}'],
  );
  const byPosition = callsOf([
    toolChunk(
      { function: { name: 'one', arguments: '{"x"' } },
      { function: { name: 'two', arguments: '{' } },
    ),
    toolChunk({ function: { arguments: ':1}' } }, { function: { arguments: '}' } }),
    CALLS,
  ]);
  assert.deepEqual(
    byPosition.map(({ name, json }) => [name, json]),
    [
      ['one', '{"x":1}'],
      ['two', '{}'],
    ],
  );
});

test('[D-16] a name or an id may come late, and empty repeats change neither', () => {
  const calls = callsOf([
    toolChunk({ index: 0, id: null, type: 'function', function: { arguments: '' } }),
    toolChunk({ index: 0, id: 'a', function: { name: 'one', arguments: '{"x"' } }),
    toolChunk({ index: 0, id: '', function: { name: '', arguments: ':1}' } }),
    CALLS,
  ]);
  assert.deepEqual(calls, [{ id: 'a', name: 'one', json: '{"x":1}' }]);
});

test('a call without an id gets one, and two calls never share one', () => {
  const [first] = callsOf([toolChunk({ index: 0, function: { name: 'one', arguments: '{}' } }), CALLS]);
  assert.match(first?.id ?? '', /^call_[A-Za-z0-9]+$/);
  const twins = callsOf([
    toolChunk({ index: 0, id: 'same', function: { name: 'one', arguments: '{}' } }),
    toolChunk({ index: 1, id: 'same', function: { name: 'two', arguments: '{}' } }),
    CALLS,
  ]);
  assert.equal(new Set(twins.map(({ id }) => id)).size, 2);
});

test('[D-17] [D-18] arguments may be empty, null in either spelling, or the object itself', () => {
  const inputs: JsonValue[] = ['', null, 'null', {}, { a: 1 }];
  const found = inputs.map((value) => {
    const chunk = toolChunk({ index: 0, id: 'a', function: { name: 'one', arguments: value } });
    return callsOf([chunk, CALLS])[0]?.json;
  });
  assert.deepEqual(found, ['{}', '{}', '{}', '{}', '{"a":1}']);
});

test('a fragment “null” within arguments is kept', () => {
  const calls = callsOf([
    toolChunk({ index: 0, id: 'a', function: { name: 'one', arguments: '{"x":' } }),
    toolChunk({ index: 0, function: { arguments: 'null' } }),
    toolChunk({ index: 0, function: { arguments: '}' } }),
    CALLS,
  ]);
  assert.equal(calls[0]?.json, '{"x":null}');
});

test("Gemini's thought signature stays with its call", () => {
  const echoed = { google: { thought_signature: 'sig' } };
  const chunk = toolChunk({
    index: 0,
    id: 'a',
    extra_content: echoed,
    function: { name: 'one', arguments: '{}' },
  });
  const [block] = collectPayloads([chunk, CALLS]).blocks;
  assert.deepEqual(block?.extra, { chat: { extra_content: echoed } });
});

test('the deprecated function_call is a tool call', () => {
  const calls = callsOf([
    toChunk({ function_call: { name: 'one', arguments: '{"a"' } }),
    toChunk({ function_call: { arguments: ':1}' } }),
    toLastChunk('function_call'),
  ]);
  assert.equal(calls[0]?.name, 'one');
  assert.equal(calls[0].json, '{"a":1}');
});

test('a custom tool call keeps its free text', () => {
  const { blocks } = collectPayloads([
    toolChunk({ index: 0, id: 'a', type: 'custom', custom: { name: 'sql', input: '' } }),
    toolChunk({ index: 0, custom: { input: 'select {' } }),
    CALLS,
  ]);
  assert.deepEqual(blocks, [
    { type: 'tool-call', id: 'a', name: 'sql', input: { json: 'select {' }, custom: true },
  ]);
});

test('a call of a custom tool is one without its type too', () => {
  const chunk = toolChunk({ index: 0, id: 'a', custom: { name: 'apply_patch', input: '*** Begin' } });
  const [block] = collectPayloads([chunk, CALLS]).blocks;
  assert.ok(block?.type === 'tool-call');
  assert.deepEqual([block.custom, block.name, block.input], [true, 'apply_patch', { json: '*** Begin' }]);
});

/** Entries of `tool_calls`, each in a chunk of its own, and the calls they are: `name {"x":1}`. */
type Sequence = readonly [what: string, entries: readonly JsonObject[], calls: readonly string[]];

const named = (name: string, text: string, rest: JsonObject = {}): JsonObject => ({
  ...rest,
  function: { name, arguments: text },
});
const more = (text: string, rest: JsonObject = {}): JsonObject => ({
  ...rest,
  function: { arguments: text },
});

const SEQUENCES: readonly Sequence[] = [
  [
    'without an index or an id a fragment without a name continues the last call',
    [named('one', '{}'), named('two', '{"x"'), more(':1}')],
    ['one {}', 'two {"x":1}'],
  ],
  [
    'without an index or an id the same name continues an open call and begins another after a complete one',
    [named('one', '{"x"'), named('one', ':1}'), named('one', '{"x":2}')],
    ['one {"x":1}', 'one {"x":2}'],
  ],
  [
    'an id may come after the first fragment',
    [named('one', '{"x"'), more(':1}', { id: 'a' })],
    ['one {"x":1}'],
  ],
  [
    'a name may come with the id, after the first fragment',
    [more('{"x"'), named('one', ':1}', { id: 'a' })],
    ['one {"x":1}'],
  ],
  [
    'another id with another name is another call, also after one without an id',
    [named('one', '{}'), named('two', '{}', { id: 'b' })],
    ['one {}', 'two {}'],
  ],
  [
    'a call that is repeated whole under its id is another',
    [named('one', '{"x":1}', { id: 'a' }), named('one', '{"x":2}', { id: 'a' })],
    ['one {"x":1}', 'one {"x":2}'],
  ],
  [
    'a complete call whose id and name are repeated without arguments is the same',
    [named('one', '{"x":1}', { id: 'a' }), named('one', '', { id: 'a' })],
    ['one {"x":1}'],
  ],
  [
    'a name that is repeated at its index with each fragment is one call',
    [named('one', '{"x"', { index: 0 }), named('one', ':1}', { index: 0 }), named('one', '', { index: 0 })],
    ['one {"x":1}'],
  ],
  [
    'a name and an id that are repeated at their index with each fragment are one call',
    [named('one', '{"x"', { index: 0, id: 'a' }), named('one', ':1}', { index: 0, id: 'a' })],
    ['one {"x":1}'],
  ],
  [
    'an id that comes late, with the name once more, is that of the call at its index',
    [named('one', '{"x"', { index: 0 }), named('one', ':1}', { index: 0, id: 'a' })],
    ['one {"x":1}'],
  ],
  [
    'a second call at an index begins when the first is complete',
    [named('one', '{"x":1}', { index: 0 }), named('two', '{"x":2}', { index: 0 })],
    ['one {"x":1}', 'two {"x":2}'],
  ],
];

for (const [what, entries, expected] of SEQUENCES)
  test(what, () => {
    const calls = callsOf([...entries.map((entry) => toolChunk(entry)), CALLS]);
    assert.deepEqual(
      calls.map(({ name, json }) => `${name} ${json}`),
      expected,
    );
  });
