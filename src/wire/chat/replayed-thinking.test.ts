import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { JsonObject } from '#base';
import { decodeChat } from '../../../test/support/chat-exchange.ts';

test('replayed thinking is our own entries if they are signed, else the plain text, else what other entries say', () => {
  const decode = (fields: JsonObject) =>
    decodeChat({
      messages: [
        { role: 'assistant', content: 'So.', ...fields },
        { role: 'user', content: 'Go on.' },
      ],
    }).turns[0];
  const thoughtsOf = (fields: JsonObject) =>
    decode(fields)?.blocks.flatMap((block) => (block.type === 'reasoning' ? [block] : []));
  const signed = { type: 'reasoning.text', text: 'mine', signature: 's', format: 'sluice/anthropic' };
  const unsigned = { type: 'reasoning.text', text: 'loose', format: 'none' };
  const foreign = { type: 'reasoning.summary', summary: 'theirs' };
  assert.deepEqual(thoughtsOf({ reasoning: 'plain', reasoning_details: [signed, unsigned] }), [
    { type: 'reasoning', text: 'mine', signature: 's', issuer: 'anthropic' },
  ]);
  assert.deepEqual(thoughtsOf({ reasoning: 'plain', reasoning_details: [unsigned] }), [
    { type: 'reasoning', text: 'plain' },
  ]);
  assert.deepEqual(thoughtsOf({ reasoning_details: [foreign, unsigned] }), [
    { type: 'reasoning', text: 'theirsloose' },
  ]);
  assert.deepEqual(thoughtsOf({ reasoning_content: '', reasoning_details: [] }), []);
  assert.deepEqual(decode({ reasoning_details: [foreign] })?.extra, {
    chat: { reasoning_details: [foreign] },
  });
  assert.equal(decode({ reasoning_details: [] })?.extra, undefined);
  assert.deepEqual(decode({ name: 'Ada' })?.extra, { chat: { name: 'Ada' } });
  assert.deepEqual(decode({ audio: { id: 'audio_1' } })?.extra, { chat: { audio: { id: 'audio_1' } } });
});
