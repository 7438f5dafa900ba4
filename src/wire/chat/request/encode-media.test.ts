import assert from 'node:assert/strict';
import { test } from 'node:test';
import { CHAT_DIALECT, type MediaBlock } from '#canonical';
import { createMedia as media } from '../../../../test/support/media-block.ts';
import { encodeMedia } from './encode-media.ts';

type Media = typeof CHAT_DIALECT.media;

const ALL: Media = { ...CHAT_DIALECT.media, image: true, imageUrl: true, audio: true, document: true };
const base64 = { base64: 'AAAA' };
const own = { fileId: 'file_1', format: 'chat' } as const;

test('each kind of media is sent in its part, with what the caller said of it', () => {
  const encode = (block: MediaBlock) => encodeMedia(block, ALL);
  const image = (url: string, more = {}) => ({ type: 'image_url', image_url: { url, ...more } });
  assert.deepEqual(encode(media('image', { url: 'https://a' })), image('https://a'));
  assert.deepEqual(
    encode(media('image', { url: 'https://a' }, { extra: { chat: { detail: 'low' } } })),
    image('https://a', { detail: 'low' }),
  );
  assert.deepEqual(encode(media('image', base64)), image('data:image/png;base64,AAAA'));
  assert.deepEqual(
    encode(media('image', base64, { mediaType: 'image/jpeg' })),
    image('data:image/jpeg;base64,AAAA'),
  );
  const audio = (format: string) => ({ type: 'input_audio', input_audio: { data: 'AAAA', format } });
  assert.deepEqual(encode(media('audio', base64, { mediaType: 'audio/mp3' })), audio('mp3'));
  for (const [mediaType, format] of [
    ['audio/mpeg', 'mp3'],
    ['audio/x-wav', 'wav'],
    ['audio/vnd.wave; codecs=1', 'wav'],
    ['audio/flac', 'flac'],
  ] as const)
    assert.deepEqual(encode(media('audio', base64, { mediaType })), audio(format));
  assert.deepEqual(encode(media('audio', base64)), audio('wav'));
  const file = (mediaType: string, filename: string) => ({
    type: 'file',
    file: { file_data: `data:${mediaType};base64,AAAA`, filename },
  });
  assert.deepEqual(encode(media('document', base64)), file('application/pdf', 'document.pdf'));
  assert.deepEqual(
    encode(media('document', base64, { mediaType: 'text/csv', title: 'a.csv' })),
    file('text/csv', 'a.csv'),
  );
  assert.deepEqual(encode(media('document', own)), { type: 'file', file: { file_id: 'file_1' } });
});

test('media that the target does not take are refused by name', () => {
  const refused: readonly (readonly [block: MediaBlock, media: Media, name: RegExp])[] = [
    [media('image', base64), { ...ALL, image: false }, /images/],
    [media('image', { url: 'https://a' }), { ...ALL, imageUrl: false }, /images by URL/],
    [media('image', own), ALL, /images by file id/],
    [media('audio', base64), { ...ALL, audio: false }, /audio/],
    [media('audio', { url: 'https://a' }), ALL, /audio/],
    [media('document', base64), { ...ALL, document: false }, /documents/],
    [media('document', { url: 'https://a' }), ALL, /documents by URL/],
    [media('document', { fileId: 'f', format: 'messages' }), ALL, /file id of another provider/],
  ];
  for (const [block, can, name] of refused) assert.throws(() => encodeMedia(block, can), name);
});
