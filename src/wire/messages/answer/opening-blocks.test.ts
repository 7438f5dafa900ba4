import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { JsonObject } from '#base';
import { collect } from '#canonical';
import {
  MESSAGE_END as END,
  MESSAGE_START as START,
  closeBlock as close,
  growBlock as grow,
  growText as say,
  openBlock as open,
  readPayloads,
} from '../../../../test/support/messages-exchange.ts';

const read = (...payloads: JsonObject[]) => collect(readPayloads([START, ...payloads, ...END])).blocks;
const CITATION = { type: 'char_location', cited_text: 'a', document_index: 0 };

test('what a block begins with comes before what follows: text, citations, thinking and its signature', () => {
  const text = { type: 'text', text: 'He', citations: [CITATION] };
  const annotation = { format: 'messages', value: CITATION };
  assert.deepEqual(read(open(0, text), say(0, 'y'), close(0)), [
    { type: 'text', text: 'Hey', annotations: [annotation] },
  ]);
  const more = grow(0, { type: 'citations_delta', citation: CITATION });
  assert.deepEqual(read(open(0, text), more, close(0)), [
    { type: 'text', text: 'He', annotations: [annotation, annotation] },
  ]);
  const thinking = { type: 'thinking', thinking: 'H', signature: 'first' };
  const thought = { type: 'reasoning', issuer: 'anthropic' };
  assert.deepEqual(read(open(0, thinking), grow(0, { type: 'thinking_delta', thinking: 'm' }), close(0)), [
    { ...thought, text: 'Hm', signature: 'first' },
  ]);
  const signed = grow(0, { type: 'signature_delta', signature: 'last' });
  assert.deepEqual(read(open(0, thinking), signed, close(0)), [{ ...thought, text: 'H', signature: 'last' }]);
});

test('a call has the arguments that it streams, else those it began with', () => {
  const call = (input: JsonObject) => open(0, { type: 'tool_use', id: 'a', name: 'f', input });
  const piece = (partial_json: unknown) => grow(0, { type: 'input_json_delta', partial_json } as JsonObject);
  const jsonOf = (...payloads: JsonObject[]) => {
    const [block] = read(...payloads, close(0));
    return block?.type === 'tool-call' && 'json' in block.input ? block.input.json : undefined;
  };
  assert.equal(jsonOf(call({ a: 1 })), '{"a":1}');
  assert.equal(jsonOf(call({}), piece(''), piece(5), piece('{"b"'), piece(':2}')), '{"b":2}');
  assert.equal(jsonOf(call({ a: 1 }), piece('')), '{"a":1}');
});

test('a block that only Messages has grows: texts by pieces, other members by their last value', () => {
  const own = { type: 'server_tool_use', id: 'srv', name: 'web_search', input: {}, note: 'a', count: 1 };
  const delta = (more: JsonObject) => grow(0, { type: 'unknown_delta', ...more });
  const begun = open(0, own);
  const blocks = read(
    begun,
    delta({ note: 'b', count: 2 }),
    delta({ added: 'c' }),
    grow(0, { type: 'input_json_delta', partial_json: '{"query":' }),
    grow(0, { type: 'input_json_delta', partial_json: '"x"}' }),
    close(0),
  );
  assert.deepEqual(blocks, [
    {
      type: 'native',
      format: 'messages',
      value: { ...own, note: 'ab', count: 2, added: 'c', input: { query: 'x' } },
    },
  ]);
  assert.deepEqual(begun['content_block'], own, 'the upstream’s own event is as it came');
});

test('what comes for a block after its end is not added', () => {
  assert.deepEqual(read(open(0, { type: 'text', text: 'a' }), close(0), say(0, 'b'), close(0)), [
    { type: 'text', text: 'a' },
  ]);
});
