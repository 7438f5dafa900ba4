import assert from 'node:assert/strict';
import { test } from 'node:test';
import { type JsonObject, type SseMessage, isJsonObject, parseJsonObject } from '#base';
import type { Block, GenerationEvent } from '#canonical';
import { createReplyContext } from '../../../test/support/chat-exchange.ts';
import { chatInbound } from './inbound.ts';

function encode(events: Iterable<GenerationEvent>, fields: JsonObject = { stream: true }): SseMessage[] {
  const encoder = chatInbound.createStreamEncoder(createReplyContext(fields));
  return [...events].flatMap((event) => encoder.push(event));
}

function listDeltas(frames: readonly SseMessage[]): JsonObject[] {
  return frames.flatMap(({ data }) => {
    const { choices } = parseJsonObject(data) ?? {};
    const choice: unknown = Array.isArray(choices) ? choices[0] : undefined;
    return isJsonObject(choice) && isJsonObject(choice['delta']) ? [choice['delta']] : [];
  });
}

const START: GenerationEvent = { type: 'generation-start', id: 'x', model: 'm' };
const END: GenerationEvent = { type: 'generation-end', finish: { reason: 'stop' } };
const whole = (...blocks: Block[]): GenerationEvent[] => [
  START,
  ...blocks.flatMap((block): GenerationEvent[] => [
    { type: 'block-start', index: 0, block },
    { type: 'block-end', index: 0 },
  ]),
  END,
];

/** What a client collects of the deltas: texts joined, lists appended. */
function collectDeltas(events: Iterable<GenerationEvent>, fields: JsonObject = { stream: true }): JsonObject {
  const collected: Record<string, unknown[]> = {};
  for (const { role: _, ...delta } of listDeltas(encode(events, fields)))
    for (const [key, value] of Object.entries(delta))
      if (value !== null && value !== '') (collected[key] ??= []).push(value);
  return collected as JsonObject;
}

test('a block that begins with all of its text is streamed like one whose text follows', () => {
  const text = collectDeltas(whole({ type: 'text', text: 'Hi' }, { type: 'text', text: '' }));
  assert.deepEqual(text, { content: ['Hi'] });
  assert.deepEqual(collectDeltas(whole({ type: 'reasoning', text: 'Hm.' })), { reasoning_content: ['Hm.'] });
  assert.deepEqual(collectDeltas(whole({ type: 'reasoning', text: '' })), {});
  const redacted = { type: 'reasoning', text: 'never shown', redacted: 'r', issuer: 'anthropic' } as const;
  assert.deepEqual(collectDeltas(whole(redacted)), {
    reasoning_details: [[{ type: 'reasoning.encrypted', data: 'r', format: 'sluice/anthropic', index: 0 }]],
  });
});

test('images are numbered, and a block that Chat has no place for is left out', () => {
  const image = (base64: string): Block => ({ type: 'media', kind: 'image', source: { base64 } });
  const entry = (index: number, base64: string) => [
    { index, type: 'image_url', image_url: { url: `data:image/png;base64,${base64}` } },
  ];
  const audio: Block = { type: 'media', kind: 'audio', source: { base64: 'CCCC' } };
  assert.deepEqual(collectDeltas(whole(image('AAAA'), audio, image('BBBB'))), {
    images: [entry(0, 'AAAA'), entry(1, 'BBBB')],
  });
});

test('a client of the deprecated function calls gets the first call alone', () => {
  const call = (name: string): Block => ({
    type: 'tool-call',
    id: name,
    name,
    input: { json: `{"of":"${name}"}` },
  });
  const legacy = { stream: true, functions: [{ name: 'f' }] };
  assert.deepEqual(collectDeltas(whole(call('f'), call('g')), legacy), {
    function_call: [{ name: 'f', arguments: '' }, { arguments: '{"of":"f"}' }],
  });
});

test('nothing follows the end of an answer', () => {
  const failure = { kind: 'broken', message: 'm', retryable: false } as never;
  for (const last of [END, { type: 'generation-error', failure } as GenerationEvent]) {
    const frames = encode([START, last, ...whole({ type: 'text', text: 'late' })]);
    assert.equal(
      frames.some(({ data }) => data.includes('late')),
      false,
    );
  }
});

test('citations of another format are sent once, each with the text it belongs to', () => {
  const cited = (text: string, url: string): GenerationEvent[] => [
    { type: 'block-start', index: 0, block: { type: 'text', text: '' } },
    { type: 'block-delta', index: 0, text },
    { type: 'block-annotation', index: 0, annotation: { format: 'messages', value: { url, title: 't' } } },
    { type: 'block-end', index: 0 },
  ];
  const { annotations } = collectDeltas([
    START,
    ...cited('one', 'https://a'),
    ...cited('three', 'https://b'),
    END,
  ]);
  const entry = (url: string, start_index: number, end_index: number) => [
    { type: 'url_citation', url_citation: { url, title: 't', start_index, end_index } },
  ];
  assert.deepEqual(annotations, [entry('https://a', 0, 3), entry('https://b', 3, 8)]);
});

test('text that belongs to no block is not sent', () => {
  const stray: GenerationEvent = { type: 'block-delta', index: 0, text: 'stray' };
  const block: Block = { type: 'text', text: 'Hi' };
  assert.deepEqual(collectDeltas([START, stray, ...whole(block).slice(1, 3), stray, END]), {
    content: ['Hi'],
  });
});
