import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { JsonObject } from '#base';
import type { Block, Dialect, ToolResultBlock } from '#canonical';
import { createForeignRequest } from '../../../test/support/foreign-request.ts';
import { createResponsesTarget, inputOf, openResponses } from '../../../test/support/responses-upstream.ts';

const text = (words: string, more: Partial<Block> = {}): Block =>
  ({ type: 'text', text: words, ...more }) as Block;
const image: Block = { type: 'media', kind: 'image', source: { base64: 'AAAA' } };
const shown = { type: 'input_image', detail: 'auto', image_url: 'data:image/png;base64,AAAA' };
const part = (words: string, more: JsonObject = {}) => ({ type: 'input_text', text: words, ...more });
const native = (format: 'responses' | 'messages', value: JsonObject): Block => ({
  type: 'native',
  format,
  value,
});

/** What is sent of the result of a call. */
function send(blocks: Block[], more: Partial<ToolResultBlock> = {}, dialect: Partial<Dialect> = {}): unknown {
  const request = createForeignRequest({
    turns: [
      { role: 'assistant', blocks: [{ type: 'tool-call', id: 'a', name: 'f', input: { value: {} } }] },
      { role: 'user', blocks: [{ type: 'tool-result', callId: 'a', blocks, isError: false, ...more }] },
    ],
  });
  const [, result] = inputOf(openResponses(request, createResponsesTarget(dialect)).body);
  assert.equal(result?.['type'], 'function_call_output');
  return result['output'];
}

test('a result of text alone is a text, one with media is parts', () => {
  assert.equal(send([text('a'), text(''), text('b')]), 'a\nb');
  assert.deepEqual(send([text('a'), image]), [part('a'), shown]);
  assert.equal(send([]), '');
});

test('a document is sent as text, and a block of another format as far as it has text', () => {
  const document: Block = { type: 'media', kind: 'document', source: { text: 'Hi' } };
  assert.match(JSON.stringify(send([document])), /Hi/);
  assert.equal(send([native('messages', { type: 'tool_reference', tool_name: 'f' })]), 'Tool available: f');
  assert.equal(send([native('messages', { type: 'unknown' }), text('a')]), 'a');
  const file = { type: 'input_file', file_id: 'f' };
  assert.deepEqual(send([native('responses', file)]), [file]);
});

test('a failed call is marked in its text', () => {
  const isError = true;
  assert.equal(send([text('a'), text('b')], { isError }), 'Error: a\nb');
  assert.deepEqual(send([image], { isError }), [part('Error: '), shown]);
  assert.equal(send([], { isError }), 'Error: ');
});

test('cache marks are on the parts they were on, or on the last one, where the upstream has marks', () => {
  const marks: Partial<Dialect> = { cacheMarks: 'prompt_cache_breakpoint' };
  const marked = { prompt_cache_breakpoint: { mode: 'explicit' } };
  const cache = {};
  assert.deepEqual(send([text('a', { cache }), text('b')], {}, marks), [part('a', marked), part('b')]);
  assert.deepEqual(send([text('a', { cache }), text(''), text('b')], {}, marks), [
    part('a'),
    part('b', marked),
  ]);
  assert.deepEqual(send([text('a', { cache }), image], {}, marks), [part('a', marked), shown]);
  assert.deepEqual(send([text('a'), image], { cache }, marks), [part('a'), { ...shown, ...marked }]);
  assert.equal(send([text('a'), text('b')], {}, marks), 'a\nb');
  assert.equal(send([text('a', { cache }), text('b')], {}, { cacheMarks: 'none' }), 'a\nb');
  assert.deepEqual(send([text('a', { cache }), image], {}, { cacheMarks: 'none' }), [part('a'), shown]);
});
