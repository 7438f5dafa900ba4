import assert from 'node:assert/strict';
import { test } from 'node:test';
import { collect } from '#canonical';
import {
  MESSAGE_END as END,
  MESSAGE_START as START,
  MESSAGE_STOP as STOP,
  TEXT_BLOCK as text,
  closeBlock as close,
  endMessage as delta,
  growBlock as grow,
  growText as say,
  openBlock as open,
  readMessages,
  readPayloads,
} from '../../../../test/support/messages-exchange.ts';
import {
  NO_RECORDINGS,
  hasRecordings,
  readRecording,
  toMessages,
} from '../../../../test/support/recordings.ts';

test('a plain answer streams through delta by delta', () => {
  const events = readPayloads([
    START,
    open(0, text),
    { type: 'ping' },
    say(0, 'He'),
    say(0, 'y'),
    close(0),
    ...END,
  ]);
  assert.deepEqual(
    events.map((event) => event.type),
    ['generation-start', 'block-start', 'block-delta', 'block-delta', 'block-end', 'generation-end'],
  );
  const result = collect(events);
  assert.equal(result.id, 'msg_1');
  assert.equal(result.model, 'claude-up');
  assert.deepEqual(result.blocks, [{ type: 'text', text: 'Hey' }]);
  assert.deepEqual(result.finish, { reason: 'stop', raw: 'end_turn' });
  assert.equal(result.usage?.inputUncached, 43);
  assert.equal(result.usage.outputText, 9);
});

test('thinking keeps its signature, redacted thinking its data, and citations their text', () => {
  const citation = { type: 'char_location', cited_text: 'x' };
  const result = collect(
    readPayloads([
      START,
      open(0, { type: 'thinking', thinking: '', signature: '' }),
      grow(0, { type: 'thinking_delta', thinking: 'Hm' }),
      grow(0, { type: 'signature_delta', signature: 'sig' }),
      close(0),
      open(1, { type: 'redacted_thinking', data: 'enc' }),
      close(1),
      open(2, text),
      grow(2, { type: 'citations_delta', citation }),
      say(2, 'so'),
      close(2),
      ...END,
    ]),
  );
  assert.deepEqual(result.blocks, [
    { type: 'reasoning', text: 'Hm', issuer: 'anthropic', signature: 'sig' },
    { type: 'reasoning', text: '', redacted: 'enc', issuer: 'anthropic' },
    { type: 'text', text: 'so', annotations: [{ format: 'messages', value: citation }] },
  ]);
});

test('[D-42] a signature over empty thinking survives', () => {
  const events = readPayloads([
    START,
    open(0, { type: 'thinking', thinking: '', signature: '' }),
    grow(0, { type: 'signature_delta', signature: 'sig' }),
    close(0),
    ...END,
  ]);
  assert.deepEqual(collect(events).blocks, [
    { type: 'reasoning', text: '', issuer: 'anthropic', signature: 'sig' },
  ]);
});

test('[D-17] a tool call without arguments has an empty object', () => {
  const call = { type: 'tool_use', id: 'toolu_1', name: 'now', input: {} };
  const empty = grow(0, { type: 'input_json_delta', partial_json: '' });
  for (const between of [[], [empty]]) {
    const result = collect(
      readPayloads([
        START,
        open(0, call),
        ...between,
        close(0),
        delta('tool_use', { output_tokens: 1 }),
        STOP,
      ]),
    );
    assert.deepEqual(result.blocks, [
      { type: 'tool-call', id: 'toolu_1', name: 'now', input: { json: '{}' } },
    ]);
  }
});

test('arguments in the opening block are used unless deltas replace them; caller is kept', () => {
  const caller = { type: 'direct' };
  const call = { type: 'tool_use', id: 't', name: 'n', input: { a: 1 }, caller };
  const opened = collect(readPayloads([START, open(0, call), close(0), ...END])).blocks[0];
  assert.deepEqual(opened, {
    type: 'tool-call',
    id: 't',
    name: 'n',
    input: { json: '{"a":1}' },
    extra: { messages: { caller } },
  });
  const grown = grow(0, { type: 'input_json_delta', partial_json: '{"b":2}' });
  const streamed = collect(readPayloads([START, open(0, call), grown, close(0), ...END])).blocks[0];
  assert.deepEqual(streamed?.type === 'tool-call' && streamed.input, { json: '{"b":2}' });
});

test('server blocks come out complete and in position', () => {
  const found = {
    type: 'web_search_tool_result',
    tool_use_id: 'srvtoolu_1',
    content: [{ type: 'web_search_result' }],
  };
  const result = collect(
    readPayloads([
      START,
      open(0, { type: 'server_tool_use', id: 'srvtoolu_1', name: 'web_search', input: {} }),
      grow(0, { type: 'input_json_delta', partial_json: '{"query":' }),
      grow(0, { type: 'input_json_delta', partial_json: '"x"}' }),
      close(0),
      open(1, found),
      close(1),
      open(2, { type: 'compaction', content: null }),
      grow(2, { type: 'compaction_delta', content: 'short', encrypted_content: 'e' }),
      close(2),
      open(3, text),
      say(3, 'ok'),
      close(3),
      ...END,
    ]),
  );
  assert.deepEqual(
    result.blocks.map((block) => (block.type === 'native' ? block.value : block.type)),
    [
      { type: 'server_tool_use', id: 'srvtoolu_1', name: 'web_search', input: { query: 'x' } },
      found,
      { type: 'compaction', content: 'short', encrypted_content: 'e' },
      'text',
    ],
  );
});

test('[D-13] interleaved blocks are emitted one after the other, none lost', () => {
  const events = readPayloads([
    START,
    open(0, text),
    say(0, 'a'),
    open(1, { type: 'tool_use', id: 't', name: 'n', input: {} }),
    grow(1, { type: 'input_json_delta', partial_json: '{"x":' }),
    say(0, 'b'),
    grow(1, { type: 'input_json_delta', partial_json: '1}' }),
    close(1),
    close(0),
    ...END,
  ]);
  assert.deepEqual(collect(events).blocks, [
    { type: 'text', text: 'ab' },
    { type: 'tool-call', id: 't', name: 'n', input: { json: '{"x":1}' } },
  ]);
});

test('[D-14] sparse upstream indices become dense', () => {
  const result = collect(
    readPayloads([START, open(3, text), say(3, 'a'), close(3), open(9, text), say(9, 'b'), close(9), ...END]),
  );
  assert.deepEqual(result.blocks, [
    { type: 'text', text: 'a' },
    { type: 'text', text: 'b' },
  ]);
});

test('[D-3] usage of message_delta replaces, and never adds', () => {
  const start = {
    ...START,
    message: { id: 'msg_1', usage: { input_tokens: 43, cache_read_input_tokens: 10, output_tokens: 1 } },
  };
  const given = {
    input_tokens: 61,
    cache_read_input_tokens: null,
    output_tokens: 7,
    output_tokens_details: { thinking_tokens: 5 },
  };
  const { usage } = collect(
    readPayloads([start, delta(null, { output_tokens: 3 }), delta('end_turn', given), STOP]),
  );
  assert.equal(usage?.inputUncached, 61);
  assert.equal(usage.inputCacheRead, 10);
  assert.equal(usage.outputText, 2);
  assert.equal(usage.outputReasoning, 5);
});

test('an input count is not reset by a later zero', () => {
  const { usage } = collect(
    readPayloads([START, delta('end_turn', { input_tokens: 0, output_tokens: 7 }), STOP]),
  );
  assert.equal(usage?.inputUncached, 43);
});

test('an end without output tokens reports no usage, which is then estimated', () => {
  assert.equal(collect(readPayloads([START, delta('end_turn'), STOP])).usage?.outputText, 1);
  const last = readPayloads([START, delta('end_turn'), STOP]).at(-1);
  assert.ok(last?.type === 'generation-end' && last.usage === undefined);
});

test(
  '[D-61] the recorded duplicate message_start reads as one answer',
  { skip: hasRecordings ? false : NO_RECORDINGS },
  () => {
    const result = collect(
      readMessages(toMessages(readRecording('anthropic/duplicate-message-start.chunks.txt'))),
    );
    assert.deepEqual(result.blocks, [{ type: 'text', text: 'Hello, World!' }]);
    assert.equal(result.usage?.inputUncached, 17);
    assert.equal(result.usage.outputText, 227);
  },
);

test('unknown events and deltas are no reason to fail; a delta may open its block', () => {
  const result = collect(
    readPayloads([
      START,
      { type: 'hologram_delta', beam: 1 },
      open(0, text),
      grow(0, { type: 'sparkle_delta', sparkle: 1 }),
      say(0, 'a'),
      close(0),
      say(0, 'late'),
      say(1, 'b'),
      close(1),
      ...END,
    ]),
  );
  assert.deepEqual(result.blocks, [
    { type: 'text', text: 'a' },
    { type: 'text', text: 'b' },
  ]);
});

test('a refusal without any block is an answer', () => {
  const end = {
    type: 'message_delta',
    delta: { stop_reason: 'refusal', stop_details: { type: 'refusal' } },
    usage: { output_tokens: 0 },
  };
  const result = collect(readPayloads([START, { type: 'ping' }, end, STOP]));
  assert.deepEqual(result.blocks, []);
  assert.equal(result.finish.reason, 'content-filter');
  assert.deepEqual(result.extra?.messages?.['stop_details'], { type: 'refusal' });
});
