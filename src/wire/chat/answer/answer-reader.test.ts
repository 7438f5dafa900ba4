import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { JsonObject } from '#base';
import { collectPayloads, decodeBody, toChunk, toLastChunk } from '../../../../test/support/chat-exchange.ts';

const STOP = toLastChunk('stop');

test('audio grows over the stream: pieces are joined, other members are replaced unless they are null', () => {
  const pieces: JsonObject[] = [
    { id: 'audio_1', data: 'AAA', transcript: 'Hel' },
    { id: null, data: 'BBB', transcript: 'lo', expires_at: 5 },
    { id: 'audio_2' },
  ];
  const { extra } = collectPayloads([...pieces.map((audio) => toChunk({ audio })), STOP]);
  const audio = { id: 'audio_2', data: 'AAABBB', transcript: 'Hello', expires_at: 5 };
  assert.deepEqual(extra?.chat?.['message'], { audio });
});

test('a message that repeats what the deltas before it said adds nothing', () => {
  const choices = [{ index: 0, message: { role: 'assistant', content: 'Hello' }, finish_reason: 'stop' }];
  const { blocks } = collectPayloads([toChunk({ content: 'Hello' }), { id: 'chatcmpl-1', choices }]);
  assert.deepEqual(blocks, [{ type: 'text', text: 'Hello' }]);
});

test('a citation in an answer without text is kept, and lists of sources repeat no citation', () => {
  const citation = { type: 'url_citation', url_citation: { url: 'https://a', title: 'A' } };
  const message = { role: 'assistant', content: null, annotations: [citation] };
  const { extra } = decodeBody({ choices: [{ index: 0, message, finish_reason: 'stop' }] });
  assert.deepEqual(extra?.chat?.['message'], { annotations: [citation] });

  const cited = { ...message, content: 'Hi' };
  const { blocks } = decodeBody({
    choices: [{ index: 0, message: cited, finish_reason: 'stop' }],
    citations: ['https://a'],
  });
  assert.deepEqual(blocks, [
    { type: 'text', text: 'Hi', annotations: [{ format: 'chat', value: citation }] },
  ]);
});

test('the plain reasoning is read, not the details beside it, unless they are our own', () => {
  const read = (detail: JsonObject) =>
    collectPayloads([
      toChunk({ reasoning: 'plain', reasoning_details: [{ type: 'reasoning.text', ...detail }] }),
      STOP,
    ]);
  assert.deepEqual(read({ text: 'detail' }).blocks, [{ type: 'reasoning', text: 'plain' }]);
  const own = read({ text: 'signed', signature: 's', format: 'sluice/anthropic' });
  assert.deepEqual(own.blocks, [{ type: 'reasoning', text: 'signed', signature: 's', issuer: 'anthropic' }]);
  assert.equal(own.extra, undefined, 'and not passed on twice');
});

test('a call without an id and with incomplete arguments is not lost when the answer ends', () => {
  const calls = [{ index: 0, type: 'function', function: { name: 'one', arguments: '{"a' } }];
  const { blocks } = collectPayloads([toChunk({ tool_calls: calls }), toLastChunk('length')]);
  assert.deepEqual(
    blocks.map((block) => block.type === 'tool-call' && [block.name, block.input]),
    [['one', { json: '{"a' }]],
  );
});

test('an answer without an id or a model has the model that was called', () => {
  const read = (fields: JsonObject) => {
    const { id, model, blocks } = decodeBody(fields);
    return [id, model === '' ? 'none' : typeof model, blocks];
  };
  const message = { role: 'assistant', content: 'Hi' };
  for (const model of ['', null, 5]) {
    const found = read({ model, choices: [{ index: 0, message, finish_reason: 'stop' }] });
    assert.deepEqual(found, ['', 'string', [{ type: 'text', text: 'Hi' }]]);
  }
});

test('the counts of an early chunk stay where later chunks have none', () => {
  const usage = { prompt_tokens: 7, completion_tokens: 2, total_tokens: 9 };
  const { usage: read } = collectPayloads([
    { ...toChunk({ content: 'Hi' }), usage },
    toChunk({ content: '!' }),
    STOP,
  ]);
  assert.deepEqual([read?.inputUncached, read?.outputText], [7, 2]);
});

test('content in parts is read: plain strings, refusals and thinking', () => {
  const read = (...content: (JsonObject | string)[]) =>
    decodeBody({
      choices: [{ index: 0, message: { role: 'assistant', content }, finish_reason: 'stop' }],
    }).blocks;
  assert.deepEqual(read('a', { type: 'text', text: 'b' }), [{ type: 'text', text: 'ab' }]);
  assert.deepEqual(read({ type: 'refusal', refusal: 'No.' }), [{ type: 'text', text: 'No.', refusal: true }]);
  assert.deepEqual(read({ type: 'thinking', thinking: [{ type: 'text', text: 'Hm.' }] }, 'a'), [
    { type: 'reasoning', text: 'Hm.' },
    { type: 'text', text: 'a' },
  ]);
});

test('a citation that comes before any text belongs to the text, not to thinking or a refusal before it', () => {
  const citation = { type: 'url_citation', url_citation: { url: 'https://a', title: 'A' } };
  const { blocks } = collectPayloads([
    toChunk({ annotations: [citation] }),
    toChunk({ reasoning_content: 'Hm.' }),
    toChunk({ content: 'Hi' }),
    STOP,
  ]);
  assert.deepEqual(blocks, [
    { type: 'reasoning', text: 'Hm.' },
    { type: 'text', text: 'Hi', annotations: [{ format: 'chat', value: citation }] },
  ]);
});
