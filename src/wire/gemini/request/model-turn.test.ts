import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { JsonObject } from '#base';
import { createGeminiInbound } from '../index.ts';

/** The blocks of a model turn. */
function decode(...parts: JsonObject[]): unknown {
  const format = createGeminiInbound({ model: 'm', stream: false });
  const body = {
    contents: [
      { role: 'model', parts },
      { role: 'user', parts: [{ text: 'Go on.' }] },
    ],
  };
  return format.decodeRequest(body, {}).turns[0]?.blocks;
}
const image = { inlineData: { mimeType: 'image/png', data: 'AAAA' } };
const media = { type: 'media', kind: 'image', mediaType: 'image/png', source: { base64: 'AAAA' } };

test('media of the model stay media, with their signature, and what is unknown stays Gemini’s', () => {
  assert.deepEqual(decode(image), [media]);
  assert.deepEqual(decode({ ...image, thoughtSignature: 'c2ln' }), [
    { ...media, extra: { gemini: { thoughtSignature: 'c2ln' } } },
  ]);
  const code = { executableCode: { language: 'PYTHON', code: '1' } };
  assert.deepEqual(decode(code), [{ type: 'native', format: 'gemini', value: code }]);
});

test('pieces of a thought are one, which its signature ends; texts are one around empty pieces', () => {
  assert.deepEqual(decode({ text: 'a', thought: true }, { text: 'b', thought: true }), [
    { type: 'reasoning', text: 'ab' },
  ]);
  assert.deepEqual(
    decode(
      { text: 'a', thought: true },
      { text: 'b', thought: true, thoughtSignature: 'c2ln' },
      { text: 'c', thought: true },
    ),
    [
      { type: 'reasoning', text: 'ab', signature: 'c2ln', issuer: 'google' },
      { type: 'reasoning', text: 'c' },
    ],
  );
  assert.deepEqual(decode({ text: 'a' }, { text: '' }, { text: 'b' }, { text: '', thought: true }), [
    { type: 'text', text: 'ab' },
  ]);
});
