import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { JsonObject } from '#base';
import { chunkOf, decodeChunks, openGemini } from '../../../../test/support/gemini-exchange.ts';

test('uses of tools are reported while they happen, once although later chunks repeat their metadata', () => {
  const chunk = (groundingMetadata: JsonObject, rest: JsonObject = {}) =>
    chunkOf([{ text: 'a' }], { groundingMetadata, ...rest });
  const searched = { webSearchQueries: ['a'] };
  const looked = { ...searched, groundingChunks: [{ maps: { uri: 'https://maps' } }] };
  const events = decodeChunks([
    chunk(searched),
    chunk(searched),
    chunk(looked),
    chunk(looked, { finishReason: 'STOP' }),
  ]);
  const search = { tool: 'google_search', count: 1 };
  assert.deepEqual(
    events.filter(({ type }) => type === 'tools-used'),
    [
      { type: 'tools-used', tools: [search] },
      { type: 'tools-used', tools: [search, { tool: 'google_maps', count: 1 }] },
    ],
  );
});

test('a call ends with its own chunk, without waiting for the next', () => {
  const decoder = openGemini().createStreamDecoder();
  const events = decoder.push({ data: JSON.stringify(chunkOf([{ functionCall: { name: 'now' } }])) });
  assert.equal(events.at(-1)?.type, 'block-end');
});
