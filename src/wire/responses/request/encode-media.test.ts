import assert from 'node:assert/strict';
import { test } from 'node:test';
import { type MediaBlock, RESPONSES_DIALECT } from '#canonical';
import { createMedia as media } from '../../../../test/support/media-block.ts';
import { encodeMedia } from './encode-media.ts';

type Media = typeof RESPONSES_DIALECT.media;

const ALL: Media = { ...RESPONSES_DIALECT.media, image: true, imageUrl: true, audio: true, document: true };
const base64 = { base64: 'AAAA' };
const file = (format: 'responses' | 'chat' | 'messages') => ({ fileId: 'f', format }) as const;

test('each kind of media is sent in its part, with what the caller said of it', () => {
  const encode = (block: MediaBlock) => encodeMedia(block, ALL);
  const image = { type: 'input_image', detail: 'auto' };
  assert.deepEqual(encode(media('image', base64)), { ...image, image_url: 'data:image/png;base64,AAAA' });
  assert.deepEqual(encode(media('image', base64, { mediaType: 'image/jpeg' })), {
    ...image,
    image_url: 'data:image/jpeg;base64,AAAA',
  });
  assert.deepEqual(encode(media('image', { url: 'https://a' })), { ...image, image_url: 'https://a' });
  for (const format of ['responses', 'chat'] as const) {
    assert.deepEqual(encode(media('image', file(format))), { ...image, file_id: 'f' });
    assert.deepEqual(encode(media('document', file(format))), { type: 'input_file', file_id: 'f' });
    const detailed = media('image', base64, { extra: { [format]: { detail: 'low' } } });
    assert.equal(encode(detailed).detail, 'low');
  }
  const unknown = media('image', base64, { extra: { responses: { detail: 'unknown' } } });
  assert.equal(encode(unknown).detail, 'auto');

  const audio = (format: string) => ({ type: 'input_audio', input_audio: { data: 'AAAA', format } });
  assert.deepEqual(encode(media('audio', base64, { mediaType: 'audio/mp3' })), audio('mp3'));
  assert.deepEqual(encode(media('audio', base64, { mediaType: 'audio/mpeg' })), audio('mp3'));
  assert.deepEqual(encode(media('audio', base64)), audio('wav'));

  const document = (filename: string, mediaType: string) => ({
    type: 'input_file',
    filename,
    file_data: `data:${mediaType};base64,AAAA`,
  });
  assert.deepEqual(encode(media('document', base64)), document('document.pdf', 'application/pdf'));
  assert.deepEqual(
    encode(media('document', base64, { title: 'a.csv', mediaType: 'text/csv' })),
    document('a.csv', 'text/csv'),
  );
  assert.deepEqual(encode(media('document', { url: 'https://a' })), {
    type: 'input_file',
    file_url: 'https://a',
  });
  for (const source of [
    { text: 'Hi' },
    { blocks: [{ type: 'text', text: 'Hi' }] },
  ] as MediaBlock['source'][]) {
    const encoded = encodeMedia(media('document', source), { ...ALL, document: false });
    assert.equal(encoded.type, 'input_text');
    assert.match(JSON.stringify(encoded), /Hi/);
  }
});

test('media that the target does not take are refused by name', () => {
  const refused: readonly (readonly [block: MediaBlock, media: Media, name: RegExp])[] = [
    [media('image', base64), { ...ALL, image: false }, /images/],
    [media('image', { url: 'https://a' }), { ...ALL, imageUrl: false }, /images by URL/],
    [media('image', file('messages')), ALL, /images by a file id/],
    [media('audio', base64), { ...ALL, audio: false }, /audio/],
    [media('audio', { url: 'https://a' }), ALL, /audio/],
    [media('document', base64), { ...ALL, document: false }, /documents/],
    [media('document', file('messages')), ALL, /documents by a file id/],
  ];
  for (const [block, can, name] of refused) assert.throws(() => encodeMedia(block, can), name);
});
