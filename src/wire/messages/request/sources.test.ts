import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { JsonObject } from '#base';
import type { Block, Dialect, MediaBlock } from '#canonical';
import { createMessagesTarget, decodeMessages } from '../../../../test/support/messages-exchange.ts';
import { createMedia as media } from '../../../../test/support/media-block.ts';
import { encodeBlocks, encodeToolInput } from '../encode-blocks.ts';

const MEDIA: Dialect['media'] = { image: true, imageUrl: true, document: true, audio: false };
const send = (...blocks: Block[]): unknown =>
  encodeBlocks(blocks, createMessagesTarget({ media: MEDIA, cacheMarks: 'cache_control' }));
const bytes = (text: string) => ({ base64: Buffer.from(text).toString('base64') });

test('media are sent by their source, with the title and the context of documents alone', () => {
  const labels = { title: 'T', context: 'C' };
  const cases: readonly (readonly [block: MediaBlock, sent: JsonObject])[] = [
    [
      media('image', { base64: 'AAAA' }, labels),
      { source: { type: 'base64', media_type: 'image/png', data: 'AAAA' } },
    ],
    [
      media('image', { base64: 'AAAA' }, { mediaType: 'image/webp' }),
      { source: { type: 'base64', media_type: 'image/webp', data: 'AAAA' } },
    ],
    [media('image', { url: 'https://a' }), { source: { type: 'url', url: 'https://a' } }],
    [
      media('document', { base64: 'AAAA' }, labels),
      { source: { type: 'base64', media_type: 'application/pdf', data: 'AAAA' }, ...labels },
    ],
    [
      media('document', bytes('a,b'), { mediaType: 'text/csv' }),
      { source: { type: 'text', media_type: 'text/plain', data: 'a,b' } },
    ],
    [media('document', { text: 'Hi' }), { source: { type: 'text', media_type: 'text/plain', data: 'Hi' } }],
    [
      media('document', { blocks: [{ type: 'text', text: 'Hi' }] }),
      { source: { type: 'content', content: [{ type: 'text', text: 'Hi' }] } },
    ],
    [media('document', { fileId: 'f', format: 'messages' }), { source: { type: 'file', file_id: 'f' } }],
  ];
  for (const [block, sent] of cases) assert.deepEqual(send(block), [{ type: block.kind, ...sent }]);
  assert.throws(() => send(media('document', { fileId: 'f', format: 'chat' })), /a file of another provider/);
  assert.throws(() => send(media('document', bytes('x'), { mediaType: 'font/ttf' })), /font\/ttf/);
  assert.throws(() => send(media('audio', bytes('x'))), /audio/);
});

test('documents and citations of a caller are decoded', () => {
  const decode = (...content: JsonObject[]) =>
    decodeMessages({ messages: [{ role: 'user', content }] }).turns[0]?.blocks;
  const source = { type: 'text', media_type: 'text/plain', data: 'Hi' };
  assert.deepEqual(decode({ type: 'document', source, title: 'T', context: 'C' }), [
    {
      type: 'media',
      kind: 'document',
      mediaType: 'text/plain',
      source: { text: 'Hi' },
      title: 'T',
      context: 'C',
    },
  ]);
  const citation = { type: 'char_location', cited_text: 'Hi', document_index: 0 };
  assert.deepEqual(decode({ type: 'text', text: 'a', citations: [citation] }), [
    { type: 'text', text: 'a', annotations: [{ format: 'messages', value: citation }] },
  ]);
  assert.deepEqual(decode({ type: 'text', text: 'a', citations: [] }), [{ type: 'text', text: 'a' }]);
});

test('a cache mark never stands on thinking, but on what comes before it', () => {
  const cache = {};
  const mark = { cache_control: { type: 'ephemeral' } };
  const thought: Block = { type: 'reasoning', text: 'Hm.', signature: 'c2ln', issuer: 'anthropic', cache };
  const text = (words: string): Block => ({ type: 'text', text: words });
  const sent = { type: 'thinking', thinking: 'Hm.', signature: 'c2ln' };
  assert.deepEqual(send(text('a'), thought), [{ type: 'text', text: 'a', ...mark }, sent]);
  assert.deepEqual(send(thought, { ...text(' '), cache }), [sent]);
  const redacted: Block = { type: 'reasoning', text: '', redacted: 'r', issuer: 'anthropic' };
  const blank: Block = { ...text(''), cache };
  assert.deepEqual(send(text('a'), thought, redacted, blank), [
    { type: 'text', text: 'a', ...mark },
    sent,
    { type: 'redacted_thinking', data: 'r' },
  ]);
});

test('blocks of another format are left out', () => {
  const own = { type: 'container_upload', file_id: 'f' };
  assert.deepEqual(send({ type: 'native', format: 'messages', value: own }), [own]);
  assert.deepEqual(send({ type: 'native', format: 'gemini', value: { executableCode: {} } }), []);
});

test('the input of a call is its object, or a custom call’s text', () => {
  const call = { type: 'tool-call', id: 'a', name: 'f' } as const;
  assert.deepEqual(encodeToolInput({ ...call, input: { value: { a: 1 } } }), { a: 1 });
  assert.deepEqual(encodeToolInput({ ...call, input: { json: '{"a":1}' } }), { a: 1 });
  assert.deepEqual(encodeToolInput({ ...call, input: { json: 'no object' } }), {});
  assert.deepEqual(encodeToolInput({ ...call, input: { json: 'free' }, custom: true }), { input: 'free' });
  assert.deepEqual(encodeToolInput({ ...call, input: { value: {} }, custom: true }), { input: '' });
});
